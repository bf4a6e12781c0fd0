#!/bin/bash
# In any node: lldpd on the interfaces that match a pattern: lldp.sh PATTERN. Frames every 2 s, so that tests see them soon.
set -euo pipefail
pattern=$1
lldpcli show configuration >/dev/null 2>&1 && exit 0
install -d -m 755 /run/lldpd /etc/lldpd.d
{
  printf 'configure lldp tx-interval 2\nconfigure lldp tx-hold 3\n'
  # A switch names its ports; a host announces the MAC address of its network card, as lldpd does by default.
  case $pattern in swp*) echo 'configure lldp portidsubtype ifname';; esac
} >/etc/lldpd.d/lab.conf
lldpd -I "$pattern" </dev/null >"/lab/log/lldpd.$(hostname).log" 2>&1
