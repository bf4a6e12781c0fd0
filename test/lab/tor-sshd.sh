#!/bin/bash
# In the node tor: OpenSSH's server on the management address: tor-sshd.sh ADDRESS. The user "portkeeper" logs in by key or
# by password, may open the OVS database by its group, and has sudo for the commands listed below (lldpcli too: on
# Debian only root and the group adm may run it).
set -euo pipefail
address=$1
[ -r /run/sshd.pid ] && kill -0 "$(cat /run/sshd.pid)" 2>/dev/null && exit 0

id portkeeper >/dev/null 2>&1 || useradd -m -d /var/lib/switch-user -s /bin/bash -G ovsadmin portkeeper
echo "portkeeper:$(cat /lab/keys/switch.password)" | chpasswd
echo 'portkeeper ALL=(root) NOPASSWD: /usr/bin/ovs-vsctl, /usr/bin/ovs-appctl, /usr/bin/ovs-ofctl, /usr/sbin/lldpcli, /usr/sbin/ip, /usr/bin/ip' \
  >/etc/sudoers.d/portkeeper
chmod 440 /etc/sudoers.d/portkeeper
install -d -m 755 /etc/lab-ssh /run/sshd
install -m 644 /lab/keys/switch-login.pub /etc/lab-ssh/authorized_keys
install -m 600 /lab/keys/ssh_host_ed25519_key /lab/keys/ssh_host_ecdsa_key /etc/lab-ssh/
cat >/etc/lab-ssh/sshd_config <<END
ListenAddress $address:22
HostKey /etc/lab-ssh/ssh_host_ed25519_key
HostKey /etc/lab-ssh/ssh_host_ecdsa_key
AuthorizedKeysFile /etc/lab-ssh/authorized_keys
PermitRootLogin no
PasswordAuthentication yes
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
MaxStartups 100
PidFile /run/sshd.pid
END
/usr/sbin/sshd -t -f /etc/lab-ssh/sshd_config
/usr/sbin/sshd -f /etc/lab-ssh/sshd_config -E /lab/log/sshd.log
