# Peers of the lab and what the command `hyperbasis` says. Source this file after lab.sh.
# HYPERBASIS is the path of the command.

declare -A PEER=() PEER_ARGUMENTS=()

store_of() { printf '%s/%s/store' "$LAB_DIR" "$1"; }
peer_log() { printf '%s/%s/peer.log' "$LAB_DIR" "$1"; }

# hb HOST ARGUMENTS...: the command on the store of a host. It may take 30 seconds.
hb() {
  local host=$1
  shift
  lab_on "$host" timeout --foreground 30 "$HYPERBASIS" "$@" --store "$(store_of "$host")"
}

# peer_start HOST [ARGUMENTS...]: starts a peer and waits until it says that it is ready.
peer_start() {
  local host=$1 log
  shift
  log=$(peer_log "$host")
  PEER_ARGUMENTS[$host]="$*"
  rm -f "$log"
  lab_spawn "$host" "$log" \
    "$HYPERBASIS" peer --store "$(store_of "$host")" --name "$host" --json "$@"
  PEER[$host]=$LAB_PID
  lab_wait 15 peer_has_begun "$host" || true
  peer_is_ready "$host" && return 0
  lab_say "lab: the peer on $host does not become ready:"
  cat "$log" "$log.err" >&2
  return 1
}

# Starts a peer on every host; where there is no discovery they are given the address of the first.
peers_up() {
  local host by_hand=(--no-discovery)
  if [[ $LAB_FORM == namespaces || $LOOPBACK_DISCOVERY == yes ]]; then by_hand=(); fi
  for host in "${LAB_HOSTS[@]}"; do
    peer_start "$host" "${by_hand[@]}"
    ((${#by_hand[@]} == 0)) || by_hand+=(--connect "127.0.0.1:$(peer_port "$host")")
  done
}

# Starts a peer again as it was started before, on the port that it had.
peer_restart() {
  local port words=()
  port=$(peer_port "$1")
  read -ra words <<<"${PEER_ARGUMENTS[$1]}"
  [[ " ${words[*]} " == *" --port "* ]] || words+=(--port "$port")
  peer_start "$1" "${words[@]}"
}

peer_has_begun() { peer_is_ready "$1" || lab_is_gone "${PEER[$1]}"; }
peer_is_ready() { grep -q '"ready"' "$(peer_log "$1")" 2>/dev/null; }

peer_port() { grep '"ready"' "$(peer_log "$1")" | json_field port; }

peer_stop() {
  lab_end "${PEER[$1]:-}"
  PEER[$1]=""
}

# Ends a peer without a word, as a power cut does.
peer_kill() {
  kill -KILL "${PEER[$1]}"
  wait "${PEER[$1]}" 2>/dev/null || true
  PEER[$1]=""
}

peers_stop() {
  local host
  for host in "${LAB_HOSTS[@]}"; do peer_stop "$host"; done
}

# --- what it says ---

# json_field NAME: the value of the first field NAME in the first line of standard input; strings
# without quotes, an object or a list whole when it holds no further one. Enough for the lines of
# our own command, which have one object each; not a JSON parser.
json_field() {
  local lines=() line value
  mapfile -t lines
  line=${lines[0]:-}
  value=${line#*\""$1"\"}
  [[ $value != "$line" ]] || return 1
  value=${value#*:}
  value=${value# }
  case $value in
    \"*) value=${value#\"} && value=${value%%\"*} ;;
    \{*) value=${value%%\}*}\} ;;
    \[*) value=${value%%\]*}\] ;;
    *) value=${value%%[,\}]*} ;;
  esac
  printf '%s\n' "$value"
}

digest_line() { hb "$1" digest "$2" --json 2>/dev/null; }

digest_of() { digest_line "$1" "$2" | json_field digest; }

# Learns which replica belongs to which host, so that vectors can be printed with names of hosts.
declare -A REPLICA_HOST=()
replicas_learn() {
  local host replica
  for host in "${LAB_HOSTS[@]}"; do
    # The last one in the line: the earlier ones are those of its peers.
    replica=$(hb "$host" status --json 2>/dev/null | sed -E 's/.*"replica" *: *"([^"]*)".*/\1/')
    [[ -n $replica ]] || continue
    replica=${replica//-/}
    REPLICA_HOST[${replica,,}]=$host
  done
}

# The vector of a digest line as text: how many changes of which host are here. A replica of no host
# of the lab is shown by its first four digits.
vector_of() {
  local replica count name
  json_field vector | grep -oE '"[0-9a-fA-F-]{8,}"[^0-9]*[0-9]+' |
    while IFS='"' read -r _ replica count; do
      replica=${replica//-/}
      name=${REPLICA_HOST[${replica,,}]:-${replica:0:4}}
      printf '%-10s\n' "$name:${count//[^0-9]/}"
    done | sort | tr '\n' ' '
}

# How many peers HOST is connected to now.
peers_of() {
  hb "$1" status --json 2>/dev/null | grep -o '"state" *: *"connected"' | wc -l
}

# Whether the named hosts give one and the same digest of SPACE.
digests_equal() {
  local space=$1 first digest host
  shift
  first=$(digest_of "$1" "$space") && [[ -n $first ]] || return 1
  for host in "${@:2}"; do
    digest=$(digest_of "$host" "$space") && [[ $digest == "$first" ]] || return 1
  done
}

# peers_connected COUNT HOST...: whether each host is connected to so many peers.
peers_connected() {
  local count=$1 host
  for host in "${@:2}"; do (($(peers_of "$host") == count)) || return 1; done
}

milliseconds() { printf '%s' $((${EPOCHREALTIME/[.,]/} / 1000)); }
