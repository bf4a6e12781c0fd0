#!/bin/bash
# down.sh [-k]: takes the lab down, also one that is half up or whose parts have crashed. -k keeps the folder with its logs.
# The blackhole routes stay.
set -uo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
keep=
while getopts k option; do case $option in k) keep=1;; *) exit 2;; esac; done
[ -e "$LAB_WORK/id" ] || { echo "no lab in $LAB_WORK"; exit 0; }
LAB_WORK=$(cd "$LAB_WORK" && pwd)
under_lock "$@"
[ -e "$LAB_WORK/id" ] || exit 0

if [ -z "${LAB_KEEPER:-}" ] && keeper=$(alive keeper); then kill -- "-$keeper" 2>/dev/null; fi
"$LAB_DIR/broker.sh" down

# What was started in the agent's node (it has no process IDs of its own) carries the lab's ID in its environment.
for _ in 1 2 3; do
  mapfile -t strangers < <(grep -lzsx "PORTKEEPER_LAB=$(cat "$LAB_WORK/id")" /proc/[0-9]*/environ)
  [ ${#strangers[@]} = 0 ] && break
  for path in "${strangers[@]}"; do pid=${path#/proc/}; kill -KILL "${pid%/environ}" 2>/dev/null; done
  sleep 0.05
done

# The kernel ends everything in a node with its pid 1.
left=0
for file in "$LAB_WORK"/pids/*; do
  name=$(basename "$file")
  [ "$name" != keeper ] || continue
  if pid=$(alive "$name"); then kill -KILL "$pid" 2>/dev/null; fi
done
for file in "$LAB_WORK"/pids/*; do
  name=$(basename "$file")
  [ "$name" != keeper ] || continue
  for _ in $(seq 250); do alive "$name" >/dev/null || break; sleep 0.02; done
  if alive "$name" >/dev/null; then echo "$name does not end" >&2; left=1; else rm -f "$file"; fi
done
[ $left = 0 ] || exit 1
if [ -n "$keep" ]; then rm -f "$LAB_WORK/id"; else rm -rf "$LAB_WORK"; fi
echo "lab $LAB_PREFIX is down"
