# Sourced by the lab's scripts. A lab is one folder (LAB_WORK) with everything that belongs to it.
#
# A node is a set of namespaces held by one process, its pid 1: network, mount, UTS and PID. The process IDs are kept with
# their start time, so that a stop never hits a stranger that got the same number.
LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${LAB_PREFIX:=main}"              # name of this lab; two labs at once need two names
: "${LAB_WORK:=${TMPDIR:-/tmp}/portkeeper-lab-$LAB_PREFIX}"
: "${LAB_PORTS:=4}"                  # swp1..swpN, h1..hN
: "${LAB_MAX_SECONDS:=7200}"         # the lab ends by itself after this
: "${LAB_OWNER:=0}"                  # the lab ends when this process does; 0: nobody
LAB_MANAGEMENT=198.51.100            # RFC 5737 TEST-NET-2: .1 agent, .2 switch
LAB_DATA=198.18.51                   # RFC 2544: .K host K (not TEST-NET-3: some build networks have their package mirror there)
LAB_BROKER_PORT=8883                 # TLS and password; the next one: TLS and client certificate

# State and start time of a process; a zombie counts as gone, since some containers have no init that takes them in.
start_time() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# alive NAME: the process ID noted for NAME, if it is still that process
alive() {
  local pid started
  [ -r "$LAB_WORK/pids/$1" ] && read -r pid started <"$LAB_WORK/pids/$1" && [ -n "$started" ] || return 1
  [ "$(start_time "$pid")" = "$started" ] || return 1
  echo "$pid"
}

# note NAME PID
note() { echo "$2 $(start_time "$2")" >"$LAB_WORK/pids/$1"; }

clean=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1)

# enter_node NAME CMD...: becomes CMD in the node. The agent's node shares the machine's files and process IDs; what runs in
# it carries the lab's ID in its environment, so that down.sh finds it.
enter_node() {
  local name=$1 pid; shift
  pid=$(alive "$name") || { echo "node $name is not up" >&2; exit 1; }
  if [ "$name" = agent ]; then
    exec "${clean[@]}" PORTKEEPER_LAB="$(cat "$LAB_WORK/id")" nsenter -t "$pid" -n -u -- "$@"
  fi
  exec "${clean[@]}" nsenter -t "$pid" -m -u -n -p -r -w -- "$@"
}
in_node() { (enter_node "$@"); }

# One up or down of a lab at a time. flock -o: daemons must not inherit the lock.
under_lock() {
  [ -n "${LAB_LOCKED:-}" ] && return 0
  export LAB_LOCKED=1 LAB_PREFIX LAB_WORK LAB_PORTS LAB_MAX_SECONDS LAB_OWNER
  exec flock -w 120 -o "$LAB_WORK/lock" "$0" "$@"
}
