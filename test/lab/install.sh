#!/bin/bash
# Installs the Debian packages that the lab (test/lab/up.sh) and the test of the systemd unit need. Starts no service. Run as
# root, before any lab is up: the nodes of a lab lie over the machine's own files, which must not change under them.
set -euo pipefail

packages=(
  openvswitch-switch openssh-server openssh-client sudo lldpd mosquitto mosquitto-clients snmp snmpd snmptrapd
  python3 openssl iproute2 iputils-ping ethtool tcpdump procps util-linux systemd
)

[ "$(id -u)" = 0 ] || { echo "install.sh: must run as root" >&2; exit 1; }
command -v apt-get >/dev/null || { echo "install.sh: needs a Debian or Ubuntu system (apt-get not found)" >&2; exit 1; }

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then echo "every package of the lab is installed"; exit 0; fi

# Debian starts the service of a package as it is installed unless this file says no. What was there comes back at the end.
policy=/usr/sbin/policy-rc.d
kept=$(mktemp -d)
restore() {
  if [ -e "$kept/policy-rc.d" ] || [ -L "$kept/policy-rc.d" ]; then mv -f "$kept/policy-rc.d" "$policy"; else rm -f "$policy"; fi
  rmdir "$kept"
}
trap restore EXIT
if [ -e "$policy" ] || [ -L "$policy" ]; then mv "$policy" "$kept/policy-rc.d"; fi
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"

export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -q --no-install-recommends "${missing[@]}" </dev/null; }
lists=$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -print -quit 2>/dev/null || true)
if [ -z "$lists" ]; then
  apt-get update -q
  install
else
  # Lists that are too old name packages that the mirrors no longer have.
  install || { apt-get update -q && install; }
fi
