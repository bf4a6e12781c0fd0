#!/bin/bash
# in.sh agent|tor|hK [CMD...]: runs a command, or a shell, in a node of the lab.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
name=${1:?usage: in.sh NODE [CMD...]}
shift
[ $# -gt 0 ] || set -- bash --login
enter_node "$name" "$@"
