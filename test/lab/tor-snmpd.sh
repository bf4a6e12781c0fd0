#!/bin/bash
# In the node tor: snmpd with Q-BRIDGE-MIB of the real Open vSwitch and LLDP-MIB of the real lldpd: tor-snmpd.sh ADDRESS [TRAP_TO].
# TRAP_TO: ADDRESS:PORT that hears of every link at once. Run again, it starts snmpd anew; engineBoots then grows.
set -euo pipefail
address=$1 trap_to=${2:-}
state=/lab/state/snmp
running() { [ -r "/run/$1.pid" ] && kill -0 "$(cat "/run/$1.pid")" 2>/dev/null; }
end() { if running "$1"; then kill "$(cat "/run/$1.pid")"; for _ in $(seq 100); do running "$1" || break; sleep 0.02; done; fi; }

install -d -m 755 /var/agentx
install -d -m 700 $state
if [ ! -e $state/snmpd.conf ]; then
  cat >$state/snmpd.conf <<X
createUser labsha1 SHA "lab-auth-password" AES "lab-priv-password"
createUser labsha256 SHA-256 "lab-auth-password" AES "lab-priv-password"
createUser labsha512 SHA-512 "lab-auth-password" AES-256 "lab-priv-password"
X
fi
{
  cat <<X
agentAddress udp:$address:161
exactEngineID 0x80001f880402000000000b00
sysName tor
sysDescr Open vSwitch top-of-rack switch
sysObjectID .1.3.6.1.4.1.8072.3.2.10
master agentx
agentXSocket /var/agentx/master
agentXPerms 0770 0755 root root
agentXTimeout 5
agentXRetries 1
rocommunity lab-reading default
rwcommunity lab-writing default
rwuser labsha1 authpriv
rwuser labsha256 authpriv
rwuser labsha512 authpriv
X
  [ -z "$trap_to" ] || echo "trapsess -v 3 -e 0x80001f880402000000000b00 -u labsha256 -l authPriv -a SHA-256 -A lab-auth-password -x AES -X lab-priv-password $trap_to"
} >/etc/snmp/snmpd.conf
chmod 600 /etc/snmp/snmpd.conf

end snmpd
rm -f /var/agentx/master
MIBS='' SNMP_PERSISTENT_DIR=$state snmpd -Lf /lab/log/snmpd.log -p /run/snmpd.pid
for _ in $(seq 200); do [ -S /var/agentx/master ] && break; sleep 0.02; done
[ -S /var/agentx/master ] || { tail /lab/log/snmpd.log >&2; exit 1; }

# snmpd keeps what it knows of interfaces for 15 s; a switch's own agent asks its hardware. nsCacheTimeout of ifTable and ifXTable.
for table in 1.3.6.1.2.1.2.2 1.3.6.1.2.1.31.1.1; do
  MIBS='' snmpset -v2c -c lab-writing -t1 -r5 -Oq "$address" "1.3.6.1.4.1.8072.1.5.3.1.2.$table" i 1 >/dev/null 2>&1 || true
done

end qbridge
rm -f /run/qbridge.pid
LINKTRAPS=agentx PIDFILE=/run/qbridge.pid setsid python3 /labsrc/qbridge.py </dev/null >>/lab/log/qbridge.log 2>&1 &
for _ in $(seq 200); do [ -s /run/qbridge.pid ] && break; sleep 0.02; done
[ -s /run/qbridge.pid ] || { tail /lab/log/qbridge.log >&2; exit 1; }

# lldpd anew, as a subagent of snmpd.
lldpd=$(cat /run/lldpd.pid 2>/dev/null || true)
[ -z "$lldpd" ] || { kill "$lldpd" 2>/dev/null || true; for _ in $(seq 100); do kill -0 "$lldpd" 2>/dev/null || break; sleep 0.02; done; }
lldpd -x -X /var/agentx/master -I 'swp*' </dev/null >/lab/log/lldpd.tor.log 2>&1
for _ in $(seq 100); do lldpcli show configuration >/dev/null 2>&1 && exit 0; sleep 0.02; done
exit 1
