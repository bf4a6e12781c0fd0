#!/bin/bash
# up.sh [-n PORTS]: brings the lab up; run again, it starts only what is missing. Settings: see lib.sh. Ends with down.sh, after
# LAB_MAX_SECONDS, or when the process LAB_OWNER ends.
#
#   agent ---198.51.100.0/24--- tor (Open vSwitch, sshd, lldpd) ---swpK/eth0--- hK (lldpd, 198.18.51.K)
#
# The agent, the broker and every client run in the node "agent". No node has a default route, and no interface of the lab
# is in the machine's own network namespace.
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
while getopts n: option; do case $option in n) LAB_PORTS=$OPTARG;; *) exit 2;; esac; done

[ "$(id -u)" = 0 ] || { echo "up.sh: must run as root" >&2; exit 1; }
[[ $LAB_PORTS =~ ^[1-9][0-9]?$ ]] && [ "$LAB_PORTS" -le 48 ] || { echo "up.sh: 1 to 48 ports" >&2; exit 2; }
[[ $LAB_PREFIX =~ ^[a-z0-9-]{1,32}$ ]] || { echo "up.sh: LAB_PREFIX: a-z, 0-9 and -, at most 32" >&2; exit 2; }

# Before anything else, and never taken away again: a packet for an address of the lab that somebody sends outside of the
# lab's nodes must not leave by the machine's default route.
for net in $LAB_MANAGEMENT.0/24 $LAB_DATA.0/24; do ip route replace blackhole $net metric 9999; done

mkdir -p -m 755 "$LAB_WORK"
[ -O "$LAB_WORK" ] && [ ! -L "$LAB_WORK" ] || { echo "up.sh: $LAB_WORK is somebody else's" >&2; exit 1; }
LAB_WORK=$(cd "$LAB_WORK" && pwd)
under_lock "$@"
mkdir -p "$LAB_WORK"/{pids,log,keys,state,nodes}
chmod 700 "$LAB_WORK/keys"
[ -e "$LAB_WORK/id" ] || openssl rand -hex 16 >"$LAB_WORK/id"
echo "$LAB_PORTS" >"$LAB_WORK/ports"

# --- the keeper: takes the lab down when its time is over or its owner is gone ---
if keeper=$(alive keeper); then kill -- "-$keeper" 2>/dev/null || true; fi
LAB_LOCKED='' LAB_WORK=$LAB_WORK LAB_PREFIX=$LAB_PREFIX setsid bash -c '
  if [ "$2" = 0 ]; then sleep "$1"; else timeout "$1" tail --pid="$2" -s 0.5 -f /dev/null; fi
  LAB_KEEPER=1 exec "$3"' keeper "$LAB_MAX_SECONDS" "$LAB_OWNER" "$LAB_DIR/down.sh" </dev/null >/dev/null 2>&1 &
note keeper $!

# --- secrets, made once ---
keys=$LAB_WORK/keys
make_key() { [ -e "$keys/$1" ] || ssh-keygen -q -t "$2" -N '' -C "$3" -f "$keys/$1"; }
make_key switch-login ed25519 portkeeper
make_key ssh_host_ed25519_key ed25519 tor
make_key ssh_host_ecdsa_key ecdsa tor
[ -e "$keys/switch.password" ] || openssl rand -hex 12 >"$keys/switch.password"
awk -v host=$LAB_MANAGEMENT.2 '{ print host, $1, $2 }' "$keys"/ssh_host_*_key.pub >"$keys/known_hosts"
for key in "$keys"/ssh_host_*_key.pub; do ssh-keygen -l -E sha256 -f "$key"; done | awk '{ print $2 }' >"$keys/fingerprints"

# --- nodes ---
names=(agent tor)
for i in $(seq "$LAB_PORTS"); do names+=("h$i"); done
for name in "${names[@]}"; do
  alive "$name" >/dev/null && continue
  rm -f "$LAB_WORK/pids/$name"
  own=(--mount)
  [ "$name" != agent ] && mkdir -p "$LAB_WORK/nodes/$name" || own=()
  (exec "${clean[@]}" LAB_WORK="$LAB_WORK" LAB_DIR="$LAB_DIR" LAB_MAX_SECONDS="$LAB_MAX_SECONDS" setsid \
    unshare --net --uts --pid --fork --kill-child "${own[@]}" "$LAB_DIR/node-init.sh" "$name" \
    </dev/null >"$LAB_WORK/log/$name.init.log" 2>&1) &
done
for name in "${names[@]}"; do
  for _ in $(seq 1500); do [ -e "$LAB_WORK/pids/$name" ] && break; sleep 0.02; done
  alive "$name" >/dev/null || { echo "node $name did not come up:" >&2; cat "$LAB_WORK/log/$name.init.log" >&2; exit 1; }
done

# --- wires ---
tor=$(alive tor) agent=$(alive agent)
has_wire() { grep -q "^ *$2:" "/proc/$1/net/dev"; }
batch=$(mktemp)
trap 'rm -f "$batch"' EXIT
fresh=()
if ! has_wire "$tor" mgmt0; then
  printf 'link add mgmt0 type veth peer name eth0 netns %s\naddr add %s.2/24 dev mgmt0\nlink set mgmt0 up\n' "$agent" $LAB_MANAGEMENT >>"$batch"
  fresh+=(agent)
fi
for i in $(seq "$LAB_PORTS"); do
  has_wire "$tor" "swp$i" && continue
  printf 'link add swp%s address 02:70:6b:00:00:%02x type veth peer name eth0 address 02:70:6b:01:00:%02x netns %s\nlink set swp%s up\n' \
    "$i" "$i" "$i" "$(alive "h$i")" "$i" >>"$batch"
  fresh+=("h$i")
done
# The switch's own kernel must not speak on its ports.
nsenter -t "$tor" -n sh -c 'echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; exec ip -batch -' <"$batch"
for name in "${fresh[@]}"; do
  if [ "$name" = agent ]; then
    nsenter -t "$agent" -n sh -c "ip addr add $LAB_MANAGEMENT.1/24 dev eth0; ip link set eth0 up"
  else
    # Without the offload off, TCP and UDP arrive with unfinished checksums through the userspace datapath.
    nsenter -t "$(alive "$name")" -n sh -c "echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6
      ethtool -K eth0 tx off >/dev/null; ip addr add $LAB_DATA.${name#h}/24 dev eth0; ip link set eth0 up"
  fi
done

# --- daemons ---
jobs=()
start() { "$@" & jobs+=($!); }
start in_node tor /labsrc/tor-ovs.sh "$LAB_PORTS"
start "$LAB_DIR/broker.sh" up
start in_node tor bash -c "/labsrc/lldp.sh 'swp*' && /labsrc/tor-sshd.sh $LAB_MANAGEMENT.2"
for i in $(seq "$LAB_PORTS"); do start in_node "h$i" /labsrc/lldp.sh eth0; done
for job in "${jobs[@]}"; do wait "$job"; done
echo "lab $LAB_PREFIX is up in $LAB_WORK: test/lab/in.sh agent|tor|h1..h$LAB_PORTS [CMD...]"
