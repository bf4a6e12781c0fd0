#!/bin/bash
# broker.sh up | down | kill | wipe: mosquitto on the loopback address of the agent's node, so that nothing else reaches it.
# TLS with a private CA; one listener with passwords, one with client certificates; one ACL for each kind of user.
# kill: SIGKILL, as in a power cut: what it had not written to disk is lost. wipe: removes its database (only when down).
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/lib.sh"
dir=$LAB_WORK/mqtt

certificate() { # certificate NAME SUBJECT USAGE
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$2" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" -extfile <(
    printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=%s\n' "$3"
    [ "$3" != serverAuth ] || echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') 2>/dev/null
  rm "$1.csr"
}

make() {
  local top='portkeeper/v1/+' user
  install -d -m 755 "$dir" "$dir/data"
  cd "$dir"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.crt -days 30 \
    -subj '/CN=Portkeeper lab CA' -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign 2>/dev/null
  certificate server localhost serverAuth
  certificate agent agent clientAuth
  certificate ironic ironic clientAuth
  : >passwd
  chmod 600 passwd
  for user in agent ironic tenant viewer anyone; do
    openssl rand -hex 12 >"$user.password"
    mosquitto_passwd -b passwd "$user" "$(cat "$user.password")"
  done
  {
    printf 'user agent\ntopic read %s/intent/+\ntopic read %s/command\n' "$top" "$top"
    printf 'topic write %s/agent\ntopic write %s/result/+\ntopic write %s/switch/#\n' "$top" "$top" "$top"
    printf 'topic write %s/event\ntopic write %s/response/#\n\n' "$top" "$top"
    for user in ironic tenant; do
      printf 'user %s\ntopic readwrite %s/intent/%s\ntopic write %s/command\n' $user "$top" $user "$top"
      printf 'topic read %s/response/%s/#\ntopic read %s/result/%s\n' "$top" $user "$top" $user
      printf 'topic read %s/agent\ntopic read %s/switch/#\ntopic read %s/event\n\n' "$top" "$top" "$top"
    done
    printf 'user viewer\ntopic read portkeeper/v1/#\n\nuser anyone\ntopic readwrite #\n'
  } >acl
  cat >mosquitto.conf <<END
per_listener_settings false
persistence true
set_tcp_nodelay true
persistence_location $dir/data/
autosave_interval 2
max_queued_messages 0
log_dest file $dir/mosquitto.log
log_type all
connection_messages true
allow_anonymous false
password_file $dir/passwd
acl_file $dir/acl
listener $LAB_BROKER_PORT 127.0.0.1
cafile $dir/ca.crt
certfile $dir/server.crt
keyfile $dir/server.key
tls_version tlsv1.2
listener $((LAB_BROKER_PORT + 1)) 127.0.0.1
cafile $dir/ca.crt
certfile $dir/server.crt
keyfile $dir/server.key
tls_version tlsv1.2
require_certificate true
use_identity_as_username true
END
  chmod 600 ./*.key ./*.password
  chown -R mosquitto:mosquitto "$dir"
  : >made
}

gone() { for _ in $(seq 250); do alive mosquitto >/dev/null || return 0; sleep 0.02; done; return 1; }
stop() { local pid; pid=$(alive mosquitto) || return 0; kill "-$1" "$pid"; gone; }

case ${1:-} in
up)
  alive mosquitto >/dev/null && exit 0
  [ -e "$dir/made" ] || (make)
  cd "$dir"
  (enter_node agent setsid setpriv --reuid=mosquitto --regid=mosquitto --clear-groups mosquitto -c "$dir/mosquitto.conf" \
    </dev/null >"$LAB_WORK/log/mosquitto.out" 2>&1) &
  note mosquitto $!
  for _ in $(seq 250); do
    in_node agent bash -c "exec 3<>/dev/tcp/127.0.0.1/$LAB_BROKER_PORT" 2>/dev/null && exit 0
    alive mosquitto >/dev/null || break
    sleep 0.02
  done
  cat "$LAB_WORK/log/mosquitto.out" "$dir/mosquitto.log" >&2
  exit 1;;
down) stop TERM || stop KILL;;
kill) stop KILL;;
wipe) if alive mosquitto >/dev/null; then echo "the broker is up" >&2; exit 1; fi; rm -f "$dir"/data/*;;
*) echo "usage: broker.sh up|down|kill|wipe" >&2; exit 2;;
esac
