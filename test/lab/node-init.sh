#!/bin/bash
# Pid 1 of a node: node-init.sh NAME. Gives the node a root of its own: an overlay of the machine's files on a tmpfs that
# only this mount namespace sees. So daemons keep their default paths, nothing collides, and all of it is gone when this
# process is. The agent's node keeps the machine's files: its sockets and files are shared with the tests.
set -euo pipefail
name=$1

# /proc is still the machine's, so "self" has the number that the machine sees.
read -r pid _ </proc/self/stat
started=$(sed 's/.*) //' "/proc/$pid/stat" | cut -d' ' -f20)

hostname "$name"
ip link set lo up
if [ "$name" = agent ]; then
  pids=$LAB_WORK/pids
else
  pids=/lab/pids
  base=$LAB_WORK/nodes/$name
  mount --make-rprivate /
  mount -t tmpfs -o size=256m,mode=755 "node-$name" "$base"
  mkdir "$base/upper" "$base/work" "$base/root"
  mount -t overlay "node-$name" -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
  root=$base/root
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs -o mode=755,size=1m dev "$root/dev"
  for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
  mknod "$root/dev/net/tun" c 10 200
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t tmpfs -o mode=1777,size=16m shm "$root/dev/shm"
  mount -t tmpfs -o mode=755,size=32m run "$root/run"
  mount -t tmpfs -o mode=1777,size=64m tmp "$root/tmp"
  mount -t tmpfs -o mode=700,size=16m home "$root/root"
  mkdir -p "$root/lab" "$root/labsrc" "$root/old"
  mount --bind "$LAB_WORK" "$root/lab"
  mount --bind "$LAB_DIR" "$root/labsrc"
  cd "$root"
  pivot_root . old
  cd /
  umount -l /old
  rmdir /old
  echo "$name" >/etc/hostname
  printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$name" >/etc/hosts
  # Before the switch's daemons start side by side: the group that may open the OVS database.
  [ "$name" != tor ] || groupadd -r -f ovsadmin
  # A host that forwards would announce itself as a router by LLDP.
  echo 0 >/proc/sys/net/ipv4/ip_forward
fi

echo "$pid $started" >"$pids/.$name"
mv "$pids/.$name" "$pids/$name"

# Bash takes in the orphans handed to pid 1 while it waits.
sleep "$LAB_MAX_SECONDS" &
wait $!
