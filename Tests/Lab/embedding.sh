#!/usr/bin/env bash
# An app in a package of its own: sticky notes on two hosts that found each other show the same, live.
source "$(dirname "$0")/common.sh"

need_namespaces
NOTES_BUILD="$ROOT/.build/sticky-notes"
progress "Building Demo/StickyNotes" swift build --package-path "$ROOT/Demo/StickyNotes" \
  --scratch-path "$NOTES_BUILD"
NOTES="$NOTES_BUILD/debug/sticky-notes"
begin 2

# notes_up HOST: starts the app there; what is written to $SCRATCH/HOST.in is typed.
notes_up() {
  mkfifo "$SCRATCH/$1.in"
  lab_on "$1" "$NOTES" --store "$SCRATCH/$1.notes" --name "$1" \
    <"$SCRATCH/$1.in" >"$SCRATCH/$1.out" 2>&1 &
  BACKGROUND+=($!)
}

# The last list of notes that a host has shown, without its head.
last_list() { awk '/^-- /{list = ""; next} {list = list $0 "\n"} END{printf "%s", list}' "$SCRATCH/$1.out"; }
shows() { last_list "$1" | grep -qxF "$2"; }
shows_not() { ! last_list "$1" | grep -qF "$2"; }
same_lists() { [[ -n $(last_list host1) && $(last_list host1) == "$(last_list host2)" ]]; }

notes_up host1
exec 7>"$SCRATCH/host1.in"
notes_up host2
exec 8>"$SCRATCH/host2.in"

echo "add Buy milk" >&7
within 15 "a note of host1 is shown on host2" shows host2 "1. [yellow] Buy milk"
echo "text 1 Buy oat milk" >&8
within 5 "host1 shows the text that host2 gave it" shows host1 "1. [yellow] Buy oat milk"
echo "color 1 blue" >&7
within 5 "host2 shows the colour that host1 gave it" shows host2 "1. [blue] Buy oat milk"
for number in 2 3 4 5; do
  echo "add From host1, $number" >&7
  echo "add From host2, $number" >&8
done
within 10 "both show the same nine notes" same_lists
echo "rm 1" >&8
within 5 "a removed note is gone from host1" shows_not host1 "Buy oat milk"

exec 8>&-
within 10 "host2 ends when its input does" not kill -0 "${BACKGROUND[1]}"
echo "add While host2 is away" >&7
within 5 "host1 goes on" shows host1 "9. [yellow] While host2 is away"
rm "$SCRATCH/host2.in"
notes_up host2
exec 8>"$SCRATCH/host2.in"
within 15 "host2 has all of it after a restart" same_lists
within 5 "with the note that it missed" shows host2 "9. [yellow] While host2 is away"
exec 7>&- 8>&-
