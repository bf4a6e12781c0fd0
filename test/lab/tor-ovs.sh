#!/bin/bash
# In the node tor: ovsdb-server and ovs-vswitchd with the userspace datapath, and br0 with swp1..swpN: tor-ovs.sh N.
# Not by ovs-ctl, which insists on the kernel module. The database is kept beside the lab, so that it survives a reboot of the node.
set -euo pipefail
ports=$1 database=/lab/state/conf.db socket=/run/openvswitch/db.sock

running() { [ -r "/run/openvswitch/$1.pid" ] && kill -0 "$(cat "/run/openvswitch/$1.pid")" 2>/dev/null; }

install -d -m 755 /run/openvswitch /var/log/openvswitch
[ -e $database ] || ovsdb-tool create $database /usr/share/openvswitch/vswitch.ovsschema
if ! running ovsdb-server; then
  ovsdb-server -vconsole:off $database --remote=punix:$socket --pidfile --detach --no-chdir --log-file
  ovs-vsctl --no-wait init -- set Open_vSwitch . external_ids:hostname=tor external_ids:system-id=tor \
    ovs_version="$(ovs-vswitchd --version | sed -n '1s/.* //p')"
  # Members of ovsadmin may run plain ovs-vsctl.
  chgrp ovsadmin $socket
  chmod 770 $socket
fi
running ovs-vswitchd || ovs-vswitchd -vconsole:off unix:$socket --pidfile --detach --no-chdir --log-file

transaction=(--may-exist add-br br0 -- set bridge br0 datapath_type=netdev other_config:hwaddr=02:70:6b:00:00:00)
for i in $(seq "$ports"); do
  # As it comes out of its box: every port untagged in VLAN 1. A port that exists is left as it is.
  transaction+=(-- --may-exist add-port br0 "swp$i" vlan_mode=access tag=1 -- set interface "swp$i" ofport_request="$i")
done
ovs-vsctl --timeout=20 "${transaction[@]}"
