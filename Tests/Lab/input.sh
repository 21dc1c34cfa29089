#!/usr/bin/env bash
# Bad input: exit status 1 or 2, one line on standard error that says what, and nothing is changed.
# Once with a peer running on the store and once without.
source "$(dirname "$0")/common.sh"

begin 1
bad=0
id=00000000-0000-4000-8000-0000000000aa
nowhere=00000000-0000-4000-8000-0000000000bb
identity=1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1

# refused WHAT STATUS WORD COMMAND...: the command must end with one of the statuses (`1`, `2` or
# `12` for either), with one line on standard error that contains WORD (a pattern, case aside), with
# nothing on standard output, and without a change to the store.
refused() {
  local what=$1 allowed=$2 word=$3 status=0 problem="" lines before after
  shift 3
  before=$(store_state)
  lab_on host1 timeout 10 "$@" >"$SCRATCH/out" 2>"$SCRATCH/all" </dev/null || status=$?
  after=$(store_state)
  grep -vi '^warning' "$SCRATCH/all" >"$SCRATCH/err" || true
  lines=$(wc -l <"$SCRATCH/err")
  [[ $status != 0 && $allowed == *"$status"* ]] || problem+="status $status, not ${allowed:0:1}; "
  ((lines == 1)) || problem+="$lines lines on standard error; "
  grep -qiE "$word" "$SCRATCH/err" || problem+="no word of '$word'; "
  [[ ! -s $SCRATCH/out ]] || problem+="something on standard output; "
  [[ $before == "$after" ]] || problem+="the store has changed; "
  if [[ -z $problem ]]; then
    printf '    ok: %-36s %s\n' "$what" "$(head -n 1 "$SCRATCH/err")"
  else
    bad=$((bad + 1))
    printf '    %sFAILED%s %s: %s\n' "$RED" "$PLAIN" "$what" "${problem%; }"
    sed 's/^/      /' "$SCRATCH/err" | head -n 5
  fi
}

store_state() {
  digest_line host1 "$SPACE" || fail "the digest cannot be read"
  hb host1 space list --json || fail "the spaces cannot be listed"
}

# The same for a command on the store of host1.
refused_here() {
  local what=$1 allowed=$2 word=$3
  shift 3
  refused "$what" "$allowed" "$word" "$HYPERBASIS" "$@" --store "$(store_of host1)"
}

# refused_file WHAT WORD TEXT: a file with the given text is not imported.
refused_file() {
  printf '%s' "$3" >"$SCRATCH/case.json"
  refused_here "$1" 1 "$2" import "$SPACE" "$SCRATCH/case.json"
}

# A room of one wall, with the given text as its transform.
wall() {
  printf '{"walls":[%s],"doors":[],"windows":[],"openings":[],"floors":[],"objects":[]}' \
    "$(wall_item "$1")"
}
wall_item() {
  printf '{"identifier":"%s","category":{"wall":{}},"dimensions":[1,2,0],"transform":[%s]}' \
    "$id" "$1"
}

files() {
  local item
  item=$(wall_item "$identity")
  refused_file "a truncated file" . "$(head -c 3000 "$SAMPLE_ROOM")"
  refused_file "a file that is a list" . '[1,2,3]'
  refused_file "a file of something else" . '{"a":1}'
  refused_file "an empty file" . ''
  refused_file "a file that is no text" . $'\x01\xff\xfe{"walls":[]}'
  refused_file "a transform of 15 numbers" 'transform|16' "$(wall "${identity%,1}")"
  refused_file "a transform of 17 numbers" 'transform|16' "$(wall "$identity,0")"
  refused_file "NaN in a file" . "$(wall "NaN,${identity#1,}")"
  refused_file "a number that is too large" . "$(wall "1e999,${identity#1,}")"
  refused_file "a bottom row that is not 0 0 0 1" 'transform|row' "$(wall "${identity%1}2")"
  refused_file "one identifier twice" 'identifier|twice|duplicate' "{\"walls\":[$item,$item]}"
  refused_file "a room of another format" 'identifier|walls' '{"walls":[{"id":"x","size":1}]}'
  refused_here "a file that is not there" 12 'absent.json' import "$SPACE" "$SCRATCH/absent.json"
  refused_here "a file that is a directory" 12 . import "$SPACE" "$SCRATCH"
}

sdk_directories() {
  mkdir -p "$SCRATCH/other-directory"
  echo text >"$SCRATCH/a-file"
  refused_here "an SDK directory that is not there" 1 'absent.*cannot be read' \
    import-sdk "$SCRATCH/absent"
  refused_here "an SDK directory that is a file" 1 'a-file.*cannot be read' \
    import-sdk "$SCRATCH/a-file"
  refused_here "a directory of something else" 1 'other-directory.*no directory of the' \
    import-sdk "$SCRATCH/other-directory"
  refused_here "an SDK directory without a name" 2 'DIR is missing' import-sdk
  refused_here "two SDK directories" 2 'more' import-sdk "$SCRATCH/other-directory" more
}

spaces_and_anchors() {
  refused_here "import into an unknown space" 1 "$nowhere|space" import "$nowhere" "$SAMPLE_ROOM"
  refused_here "put into an unknown space" 1 "$nowhere|space" anchor put "$nowhere" --at 1,2,3
  refused_here "list of an unknown space" 1 "$nowhere|space" anchor list "$nowhere"
  refused_here "digest of an unknown space" 1 "$nowhere|space" digest "$nowhere"
  refused_here "a space id that is none" 12 'kitchen' digest kitchen
  refused_here "join without an id that is one" 12 'kitchen' space join kitchen
  refused_here "set of an unknown anchor" 1 "$nowhere|anchor" anchor set "$nowhere" a=1
  refused_here "delete of an unknown anchor" 1 "$nowhere|anchor" anchor delete "$nowhere"
  refused_here "an anchor id that is none" 12 'chair' anchor set chair a=1
}

values() {
  refused_here "--transform with 15 numbers" 12 '16|15' \
    anchor put "$SPACE" --transform "${identity%,1}"
  refused_here "--transform with 17 numbers" 12 '16|17' anchor put "$SPACE" --transform "$identity,0"
  refused_here "--transform with nan" 12 'nan|finite|number' \
    anchor put "$SPACE" --transform "nan,${identity#1,}"
  refused_here "--at with inf" 12 'inf|finite|number' anchor put "$SPACE" --at inf,0,0
  refused_here "--at with two numbers" 12 '3|three' anchor put "$SPACE" --at 1,2
  refused_here "--at with a word" 12 'here|number' anchor put "$SPACE" --at here,0,0
  refused_here "--set with no JSON" 12 'color' anchor put "$SPACE" --at 1,2,3 --set color=red
  refused_here "--set with NaN" 12 'size' anchor put "$SPACE" --at 1,2,3 --set size=NaN
  refused_here "--set without =" 12 'color' anchor put "$SPACE" --at 1,2,3 --set color
  refused_here "--id that is none" 12 'chair' anchor put "$SPACE" --id chair --at 1,2,3
}

usage_errors() {
  refused_here "an unknown command" 2 'frobnicate' frobnicate
  refused_here "an unknown option" 2 'frobnicate' digest "$SPACE" --frobnicate
  refused_here "a missing argument" 2 'space' digest
  refused_here "one argument too many" 2 'more' digest "$SPACE" more
}

peers_refused() {
  local port other="$SCRATCH/other"
  peer_start host1 --no-discovery
  port=$(peer_port host1)
  refused "a port in use" 1 "$port|in use" \
    "$HYPERBASIS" peer --store "$other" --no-discovery --port "$port"
  refused "a port that is none" 12 '70000' \
    "$HYPERBASIS" peer --store "$other" --no-discovery --port 70000
  refused "--connect without a port" 12 'connect|port' \
    "$HYPERBASIS" peer --store "$other" --no-discovery --connect nowhere
  refused "a second peer on one store" 1 'store|use|open|running' \
    "$HYPERBASIS" peer --store "$(store_of host1)" --no-discovery
}

stores() {
  local file="$SCRATCH/file"
  echo text >"$file"
  refused "a store that is a file" 1 "file|directory" "$HYPERBASIS" space list --store "$file"
  refused "a peer on a store that is a file" 1 "file|directory" \
    "$HYPERBASIS" peer --no-discovery --store "$file"
  [[ $(cat "$file") == text ]] || fail "the file in place of a store was changed"
  read_only_store
}

# Root may write everywhere, so there the store is on a file system that is mounted read-only.
read_only_store() {
  local copy="$SCRATCH/read-only"
  mkdir "$copy"
  cp -r "$(store_of host1)/." "$copy"
  if [[ $LAB_FORM == namespaces ]]; then
    lab_on host1 mount --bind "$copy" "$copy"
    lab_on host1 mount -o remount,bind,ro "$copy"
  elif ((EUID != 0)); then
    chmod -R a-w "$copy"
  else
    note "skipped: a read-only store (root on loopback writes everywhere)"
    return 0
  fi
  refused "an edit of a read-only store" 1 'read.only|permission|writ' \
    "$HYPERBASIS" anchor put "$SPACE" --at 1,2,3 --store "$copy"
  refused "a peer on a read-only store" 1 'read.only|permission|writ' \
    "$HYPERBASIS" peer --no-discovery --store "$copy"
  if [[ $LAB_FORM == namespaces ]]; then lab_on host1 umount "$copy"; else chmod -R u+w "$copy"; fi
}

new_space
put host1 --set 'color="blue"'
for when in "no peer running" "a peer running"; do
  note "--- with $when"
  [[ $when == no* ]] || peers_refused
  files
  sdk_directories
  spaces_and_anchors
  values
  usage_errors
done
peer_stop host1
note "--- other stores"
stores
((bad == 0)) || fail "$bad cases of bad input"
