#!/usr/bin/env bash
# Real peers under a workload of the simulator, with kills, pauses, cuts and slow links; then all is
# healed, and the simulator's checkers look at their stores.
#
#   Tests/Lab/faults.sh [SEED [HOSTS [SECONDS]]]   the case of a seed (a fresh one), 3 hosts, 30 s
#   Tests/Lab/faults.sh FILE [SECONDS]             a case that was kept, of a run or of `simulate`
#
# Of a run that fails the case, the log and the stores are kept. HB_FAULTS_KEEP=yes keeps them always.
# HB_FAULTS_OPTIONS are knobs of the simulator in place of those that the seed draws, as in
# 'operations=300 crash=1/10'.
# HB_FAULTS_PLANT plants a fault that must be found: `lie` (a call is said to be done that was not
# made: the first put) or `rollback` (the store of host2 is replaced by an older copy of itself).
source "$(dirname "$0")/common.sh"

# bad WORDS...: the call is wrong; nothing was made yet.
bad() {
  printf '    %s\n' "$*" >&2
  exit 2
}

# whole WHAT NUMBER LEAST MOST
whole() {
  if ! [[ $2 =~ ^[0-9]{1,9}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then
    bad "$1 is a whole number from $3 to $4, and not '$2'"
  fi
}

PLANT=${HB_FAULTS_PLANT:-none}
case $PLANT in
  none | lie | rollback) ;;
  *) bad "HB_FAULTS_PLANT is none, lie or rollback, and not '$PLANT'" ;;
esac
(($# <= 3)) || bad "at most SEED HOSTS SECONDS, or FILE SECONDS"
REAL_RUN=${HB_REAL_RUN:-$(dirname "$HYPERBASIS")/RealRun}
if [[ ${1:-} == */* || ${1:-} == *.case || -f ${1:-} ]]; then
  [[ -f $1 && -r $1 ]] || bad "there is no case '$1'"
  (($# <= 2)) || bad "a case has its own hosts: FILE SECONDS"
  CASE=$(realpath "$1")
  DURATION=${2:-30}
else
  CASE=""
  SEED=${1:-$(($(od -An -N4 -tu4 /dev/urandom)))}
  HOST_COUNT=${2:-3}
  DURATION=${3:-30}
  [[ $SEED =~ ^[0-9]{1,20}$ ]] || bad "a seed is a whole number, and a case a file; '$SEED' is neither"
  whole "HOSTS" "$HOST_COUNT" 2 16
fi
whole "SECONDS" "$DURATION" 1 86400
need_namespaces
[[ -x $REAL_RUN ]] || skip "$REAL_RUN is not built"
PLANTED_CALL=none
CONVERGENCE_SECONDS=30
RUN=""
SLOWED_BY=nothing
WORKERS=()

main() {
  local failed=no
  FINISH=finish_run
  trap '$FINISH' EXIT
  RUN=$(mktemp -d "${TMPDIR:-/tmp}/hb-faults.XXXXXX")
  plan
  begin "$HOST_COUNT"
  peers_up
  spaces_up
  note "${CASE:-seed $SEED}, $HOST_COUNT hosts, $DURATION s"
  run_calls
  run_faults
  wait_for_calls
  heal_all
  settled || failed=yes
  look || failed=yes
  verdict || failed=yes
  [[ $failed == no ]] || fail "a rule was broken"
}

# Keeps what a run left that failed once its calls had begun, drops what another did, and ends the lab.
finish_run() {
  local status=$?
  if [[ -e $RUN/start ]] && { ((status == 1)) || [[ -n ${HB_FAULTS_KEEP:-} ]]; }; then
    keep || true
    note "run it again: Tests/Lab/faults.sh $RUN/case $DURATION"
  elif [[ -n $RUN ]]; then
    rm -rf "$RUN"
  fi
  if ((status == 0)); then finish; else (exit "$status") || finish; fi
}

plan() {
  if [[ -n $CASE ]]; then
    "$REAL_RUN" plan "$RUN" "$DURATION" case "$CASE" || fail "the case cannot be planned"
  else
    # shellcheck disable=SC2086
    "$REAL_RUN" plan "$RUN" "$DURATION" seed "$SEED" "$HOST_COUNT" ${HB_FAULTS_OPTIONS:-} ||
      fail "there is no such plan"
  fi
  HOST_COUNT=$(cat "$RUN/hosts")
  mapfile -t SPACES <"$RUN/spaces"
  mkdir "$RUN/logs"
  [[ $PLANT != lie ]] ||
    PLANTED_CALL=$(grep -lzx put "$RUN"/words/* | sed 's|.*/||' | sort -n | head -n 1)
}

# Makes the spaces on host1 and has the others join them, before anything goes wrong.
spaces_up() {
  local space host
  for space in "${SPACES[@]}"; do
    hb host1 space create "Space ${space:0:4}" --id "$space" >/dev/null
    for host in "${LAB_HOSTS[@]:1}"; do hb "$host" space join "$space" >/dev/null; done
  done
  lab_wait 20 all_equal || fail "the hosts do not find each other"
}

# --- the calls ---

now() { printf '%s' $(($(milliseconds) - START)); }

until_time() {
  local left=$(($1 - $(now)))
  ((left <= 0)) || sleep "$((left / 1000)).$(printf '%03d' $((left % 1000)))"
}

# Whether the course is still to go on: on a slow machine what is late is left out in the end.
on_time() { (($(now) < DURATION * 1000 + 5000)); }

run_calls() {
  local host
  START=$(milliseconds)
  echo "$START" >"$RUN/start"
  for host in "${LAB_HOSTS[@]}"; do
    calls_of "$host" </dev/null &
    WORKERS+=("$!")
  done
  BACKGROUND+=("${WORKERS[@]}")
}

# Makes the calls of one host, one after the other, each killed when its patience is over.
calls_of() {
  local at number patience
  CHILD=""
  trap '[[ -z $CHILD ]] || kill -KILL "$CHILD" 2>/dev/null; exit 0' TERM
  trap - EXIT
  lab_enter "$1"
  while read -r at number patience; do
    until_time "$at"
    on_time || return 0
    one_call "$1" "$number" "$patience"
  done <"$RUN/commands.$1"
}

one_call() {
  local host=$1 number=$2 patience=$3 words begun status=0 outcome
  mapfile -d '' words <"$RUN/words/$number"
  begun=$(now)
  if [[ $PLANT != lie || $number != "$PLANTED_CALL" ]]; then
    lab_tied timeout --foreground -s KILL "$patience" setpriv --pdeathsig KILL "${LAB_ENTER[@]}" \
      "$HYPERBASIS" "${words[@]}" --store "$(store_of "$host")" \
      </dev/null >/dev/null 2>"$RUN/errors/$number" &
    CHILD=$!
    wait "$CHILD" 2>/dev/null || status=$?
    CHILD=""
  fi
  case $status in
    0) outcome=acknowledged ;;
    1) outcome=refused ;;
    124 | 137) outcome=unknown ;;
    *) outcome=failed ;;
  esac
  ! grep -qs 'see whether' "$RUN/errors/$number" || outcome=unknown
  printf '%5s %5s %s %s %s %s\n' "$begun" "$(now)" "$host" "$number" "$outcome" \
    "$(tr -cd '[:print:] ' <<<"${words[*]}" | cut -c 1-150)" >>"$RUN/logs/$host"
}

# Each call ends when its patience does, which is longer than any pause.
wait_for_calls() {
  local pid host
  for host in "${LAB_HOSTS[@]}"; do
    [[ -z ${PEER[$host]} ]] || fault_resume "$host"
  done
  for pid in "${WORKERS[@]}"; do
    lab_wait 60 lab_is_gone "$pid" || fail "the calls do not end"
    wait "$pid" || true
  done
  BACKGROUND=()
}

# --- the faults ---

run_faults() {
  local at words begun outcome copy_at=$((DURATION * 400))
  while read -r at words; do
    [[ $PLANT != rollback ]] || ((at < copy_at)) || copy_store "$copy_at"
    until_time "$at"
    on_time || break
    begun=$(now)
    outcome="done"
    # shellcheck disable=SC2086
    fault_$words || outcome=refused
    log_fault "$begun" "$outcome" "$words"
  done <"$RUN/faults"
  [[ $PLANT != rollback ]] || copy_store "$copy_at"
}

log_fault() {
  printf '%5s %5s %s - %s %s\n' "$1" "$(now)" "$(cut -d ' ' -f 2 <<<"$3")" "$2" "$3" \
    >>"$RUN/logs/faults"
}

fault_kill() { [[ -n ${PEER[$1]} ]] && peer_kill "$1"; }
fault_stop() { peer_stop "$1"; }
fault_start() { [[ -n ${PEER[$1]} ]] || peer_restart "$1"; }
fault_pause() { kill -STOP "${PEER[$1]}"; }
fault_resume() { kill -CONT "${PEER[$1]}"; }
fault_cut() { lab_cut "$1"; }
fault_unplug() { lab_unplug "$1"; }
fault_heal() { lab_heal "$1"; }

# What FROM sends to TO goes to a cable on which nobody is: one direction is lost, in silence.
fault_block() { neighbours "$1" "$2" replace lladdr 02:00:00:00:00:99 nud permanent; }
fault_unblock() { neighbours "$1" "$2" del; }

# neighbours FROM TO VERB [WORDS...]: for each address of TO.
neighbours() {
  local from=$1 to=$2 verb=$3 address
  shift 3
  while read -r address; do
    lab_on "$from" ip neigh "$verb" "$address" "$@" dev eth0 2>/dev/null || [[ $verb == del ]]
  done < <(lab_on "$to" ip -o address show dev eth0 | awk '{ sub("/.*", "", $4); print $4 }')
}

# slow HOST MILLISECONDS PERCENT: delay and loss in both directions. A kernel without netem has a
# narrow pipe with a short queue, which delays and loses as well.
fault_slow() {
  if pace "$1" netem delay "$2ms" "$(($2 / 4))ms" loss "$3%" 2>/dev/null; then
    SLOWED_BY=netem
  else
    pace "$1" tbf rate 64kbit burst 2kb limit 6kb && SLOWED_BY=tbf
  fi
}

fault_quick() {
  lab_in_switch tc qdisc del dev "$(lab_port "$1")" root 2>/dev/null || true
  lab_on "$1" tc qdisc del dev eth0 root 2>/dev/null || true
}

pace() {
  local host=$1
  shift
  lab_in_switch tc qdisc replace dev "$(lab_port "$host")" root "$@" &&
    lab_on "$host" tc qdisc replace dev eth0 root "$@"
}

heal_all() {
  local host other
  for host in "${LAB_HOSTS[@]}"; do
    lab_heal "$host"
    fault_quick "$host"
    for other in "${LAB_HOSTS[@]}"; do
      [[ $host == "$other" ]] || fault_unblock "$host" "$other"
    done
    fault_start "$host" || fail "the peer on $host does not start"
  done
  log_fault "$(now)" "done" "heal all"
}

copy_store() {
  [[ ! -e $RUN/copy ]] || return 0
  until_time "$1"
  cp -r "$(store_of host2)" "$RUN/copy"
}

# --- the end ---

settled() {
  local start space
  start=$(milliseconds)
  if ! lab_wait "$CONVERGENCE_SECONDS" all_equal; then
    note "not equal within $CONVERGENCE_SECONDS s of the heal:"
    for space in "${SPACES[@]}"; do
      for host in "${LAB_HOSTS[@]}"; do note "$host $(digest_line "$host" "$space")"; done
    done
    return 1
  fi
  note "ok: equal digests, $(($(milliseconds) - start)) ms after the heal"
  # Whole changes and maps follow after the state: until nothing much is sent any more.
  lab_wait "$CONVERGENCE_SECONDS" maps_whole ||
    { note "a world map is not whole everywhere" && return 1; }
  lab_wait "$CONVERGENCE_SECONDS" peers_connected $((HOST_COUNT - 1)) "${LAB_HOSTS[@]}" ||
    { note "not all hosts are connected again" && return 1; }
  note "ok: world maps whole, all connected, $(($(milliseconds) - start)) ms after the heal"
  lab_wait 15 quiet || note "the hosts still talk"
}

all_equal() {
  local space
  for space in "${SPACES[@]}"; do digests_equal "$space" "${LAB_HOSTS[@]}" || return 1; done
}

maps_whole() {
  local space host line
  for space in "${SPACES[@]}"; do
    for host in "${LAB_HOSTS[@]}"; do
      line=$(hb "$host" map status "$space" --json) || return 1
      [[ $line == *'"map":null'* || $line == *'"whole":true'* ]] || return 1
    done
  done
}

# Bytes that the hosts have sent so far.
sent() {
  local host total=0 bytes
  for host in "${LAB_HOSTS[@]}"; do
    bytes=$(awk '$1 == "eth0:" { print $10 }' "/proc/${LAB_HOLDER[$host]}/net/dev")
    total=$((total + bytes))
  done
  printf '%s' "$total"
}

# Whether less than 2 kB was sent in a second.
quiet() {
  local before
  before=$(sent)
  sleep 1
  (($(sent) - before < 2000))
}

# Notes what each host shows, with its peer and without; the same must be shown by all.
look() {
  local host equal=yes
  for host in "${LAB_HOSTS[@]}"; do show "$host" >"$RUN/shown.$host"; done
  for host in "${LAB_HOSTS[@]}"; do
    digests_of "$host" >"$RUN/digest.$host"
    peer_stop "$host"
    if [[ $PLANT == rollback && $host == host2 ]]; then
      rm -rf "$(store_of host2)" && cp -r "$RUN/copy" "$(store_of host2)"
    fi
    show "$host" >"$RUN/reloaded.$host"
    cmp -s "$RUN/shown.$host" "$RUN/reloaded.$host" ||
      { note "$host shows something else after a reload" && equal=no; }
    cmp -s "$RUN/shown.host1" "$RUN/shown.$host" ||
      { note "$host shows something else than host1" && equal=no; }
  done
  [[ $equal == yes ]] && note "ok: equal lists, before and after a reload"
}

show() {
  local space
  for space in "${SPACES[@]}"; do hb "$1" anchor list "$space" --deleted --json || return 1; done
}

digests_of() {
  local space
  for space in "${SPACES[@]}"; do hb "$1" digest "$space" --json || return 1; done
}

# One log in the order of time, with the names of its columns.
join_logs() {
  echo "begun ended host number outcome words" >"$RUN/log"
  sort -n "$RUN/logs"/* >>"$RUN/log"
}

verdict() {
  local stores=() host status=0
  join_logs
  for host in "${LAB_HOSTS[@]}"; do stores+=("$host=$(store_of "$host")"); done
  "$REAL_RUN" check "$RUN" "$DURATION" "${stores[@]}" >"$RUN/verdict" || status=$?
  sed 's/^/    /' "$RUN/verdict"
  note "links were slowed by: $SLOWED_BY"
  return "$status"
}

keep() {
  local host
  join_logs
  for host in "${LAB_HOSTS[@]}"; do
    mkdir -p "$RUN/stores/$host"
    cp -r "$(store_of "$host")/." "$RUN/stores/$host/"
    cp "$(peer_log "$host")" "$(peer_log "$host").err" "$RUN/stores/$host/" 2>/dev/null || true
  done
  note "kept in $RUN: case, log, verdict, errors, stores"
}

main
