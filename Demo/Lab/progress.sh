# Shows that something is alive while a long command runs. Source this file.

if [[ -t 1 ]]; then
  BOLD=$'\e[1m' DIM=$'\e[2m' GREEN=$'\e[32m' RED=$'\e[31m' PLAIN=$'\e[0m'
else
  BOLD="" DIM="" GREEN="" RED="" PLAIN=""
fi

PROGRESS_PID=""
PROGRESS_LOG=""

# progress LABEL COMMAND...: runs the command with its output in a temporary file. On a terminal a
# line shows the seconds and the last output; elsewhere a line is printed every 10 seconds. When the
# command fails its output is shown. PROGRESS_SHOW=yes shows the last lines also on success.
progress() {
  local label=$1 status=0 start=$SECONDS
  shift
  PROGRESS_LOG=$(mktemp "${TMPDIR:-/tmp}/hb-log.XXXXXX")
  [[ -t 1 ]] || printf '%s ...\n' "$label"
  set -m # a process group of its own, so that all of it can be ended
  "$@" </dev/null >"$PROGRESS_LOG" 2>&1 &
  PROGRESS_PID=$!
  set +m
  progress_watch "$label" "$start"
  wait "$PROGRESS_PID" || status=$?
  PROGRESS_PID=""
  progress_report "$label" "$status" $((SECONDS - start))
  rm -f "$PROGRESS_LOG"
  PROGRESS_LOG=""
  return "$status"
}

progress_watch() {
  local tick=0 width=${COLUMNS:-80}
  while kill -0 "$PROGRESS_PID" 2>/dev/null; do
    sleep 0.2
    tick=$((tick + 1))
    if [[ -t 1 ]]; then
      printf '\r\e[K%s%s %s%s' "$DIM" "$1 ($((SECONDS - $2)) s)" \
        "$(progress_last_line $((width - ${#1} - 12)))" "$PLAIN"
    elif ((tick % 50 == 0)); then
      printf '  %s s: %s\n' $((SECONDS - $2)) "$(progress_last_line 90)"
    fi
  done
  [[ ! -t 1 ]] || printf '\r\e[K'
}

progress_last_line() {
  local line
  line=$(tail -c 400 "$PROGRESS_LOG" | tr '\r\t' '\n ' | tr -cd '[:print:]\n' | grep . | tail -n 1) ||
    true
  printf '%s' "${line:0:$1}"
}

progress_report() {
  if (($2 == 0)); then
    printf '%s%s%s: done in %s s\n' "$GREEN" "$1" "$PLAIN" "$3"
    [[ ${PROGRESS_SHOW:-no} == no ]] || tail -n 5 "$PROGRESS_LOG" | sed 's/^/    /'
  else
    printf '%s%s: failed with status %s after %s s. The end of its output:%s\n' "$RED" "$1" "$2" "$3" "$PLAIN"
    tail -n 200 "$PROGRESS_LOG" | sed 's/^/    /'
    # What is wrong may be far above.
    printf '%sWhat tests and compilers complain of in it:%s\n' "$RED" "$PLAIN"
    grep -aE '✘|: error: ' "$PROGRESS_LOG" | head -n 40 | cut -c 1-600 | sed 's/^/    /' || true
  fi
}

# For the EXIT trap of the script: ends what progress has begun. `swift test` starts its tests in a
# process group of their own, so the whole tree is ended and not the group alone.
progress_end() {
  local pid
  if [[ -n $PROGRESS_PID ]]; then
    for pid in $(process_tree "$PROGRESS_PID"); do kill "$pid" 2>/dev/null || true; done
  fi
  [[ -z $PROGRESS_LOG ]] || rm -f "$PROGRESS_LOG"
  PROGRESS_PID="" PROGRESS_LOG=""
}

# Prints a process and all that it started, and they.
process_tree() {
  local child
  printf '%s\n' "$1"
  for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do process_tree "$child"; done
}
