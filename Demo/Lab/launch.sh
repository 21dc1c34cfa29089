# Finds out in which form the lab can run here, and how to start a script in it. Source this file
# after progress.sh and lab.sh.
#
#   lab_choose           sets LAB_LAUNCH, the words to put before a script that uses the lab, and
#                        LAB_FORM, `namespaces` or `loopback`; prints which and why
#   lab_choose loopback  the same for loopback without asking

LAB_LAUNCH=(bash)

lab_choose() {
  LAB_LAUNCH=(bash)
  if [[ ${1:-} == loopback ]]; then
    LAB_FORM=loopback
    printf 'The lab: several stores on this machine, joined by loopback, as was asked for.\n'
  elif ((EUID == 0)) && lab_possible; then
    lab_chosen "network namespaces, as root"
  elif ((EUID != 0)) && lab_possible_by unshare --map-root-user --net --mount --; then
    LAB_LAUNCH=(unshare --map-root-user --net --mount -- bash)
    lab_chosen "network namespaces, inside a user namespace"
  elif ((EUID != 0)) && sudo -n true 2>/dev/null && lab_possible_by sudo -n; then
    LAB_LAUNCH=(sudo -n bash)
    lab_chosen "network namespaces, with sudo"
  else
    LAB_FORM=loopback
    printf 'The lab: several stores on this machine, joined by loopback,\n'
    printf '  because this user may not make network namespaces here.\n'
  fi
}

lab_chosen() {
  LAB_FORM=namespaces
  printf 'The lab: hosts in %s; no packet leaves this machine.\n' "$1"
}

lab_possible_by() {
  "$@" bash -c '. "$1" && lab_possible' possible "${BASH_SOURCE[0]%/*}/lab.sh" >/dev/null 2>&1
}
