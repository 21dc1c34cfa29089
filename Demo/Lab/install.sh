# Installs what is missing on Debian or Ubuntu. Source this file after progress.sh.

PACKAGES=(
  "libavahi-compat-libdnssd-dev|the DNS-SD interface that peers are found with"
  "liblz4-dev|compresses world maps where it helps"
  "libsqlite3-dev|the database that a store is kept in"
  "libssl-dev|the hashes by which world maps are kept"
  "zlib1g-dev|reads the world maps of the old SDK"
  "avahi-daemon|answers DNS-SD questions; the lab runs one on each of its hosts"
  "dbus|the message bus that avahi-daemon is spoken to over"
  "iproute2|joins the hosts of the lab by a virtual switch"
)

# Prints `package|why` for each package that is not installed.
missing_packages() {
  local entry
  for entry in "${PACKAGES[@]}"; do
    dpkg-query --show --showformat '${db:Status-Abbrev}' "${entry%%|*}" 2>/dev/null |
      grep '^.i' >/dev/null || printf '%s\n' "$entry"
  done
}

# Installs the missing packages, or does nothing at all when there are none.
install_missing() {
  local missing=() entry names=()
  require_swift || return 1
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]} > 0)) || return 0
  install_permitted || return 1
  printf '%sInstalling with apt:%s\n' "$BOLD" "$PLAIN"
  for entry in "${missing[@]}"; do
    names+=("${entry%%|*}")
    printf '  %-30s %s\n' "${entry%%|*}" "${entry#*|}"
  done
  progress "Reading the package lists" as_root apt-get -q update || true
  install_packages "${names[@]}"
}

require_swift() {
  command -v swift >/dev/null && return 0
  printf 'Swift is not found: install Swift 6.2 or later from https://swift.org/install\n' >&2
  return 1
}

install_permitted() {
  if ! command -v apt-get >/dev/null; then
    printf 'These packages are missing and this machine has no apt: %s\n' \
      "$(missing_packages | cut -d '|' -f 1 | tr '\n' ' ')" >&2
    return 1
  fi
  ((EUID == 0)) && return 0
  if ! command -v sudo >/dev/null; then
    printf 'Packages are missing; run this as root, or install sudo: %s\n' \
      "$(missing_packages | cut -d '|' -f 1 | tr '\n' ' ')" >&2
    return 1
  fi
  printf 'Packages are missing; sudo is used to install them.\n'
  sudo -v
}

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

# Debian starts a daemon as soon as it is installed. An avahi-daemon on the real network is not
# wanted here, so while apt runs a policy-rc.d says no to every start, and is removed afterwards. A
# policy-rc.d that is already there is left alone. Recommended packages are left out: one of them
# changes how the whole machine looks up names. Ctrl-C waits for apt, so that no package is left half
# installed and no daemon is started late.
install_packages() (
  policy=/usr/sbin/policy-rc.d
  placed=no
  trap 'install_finish; [[ $placed == no ]] || as_root rm -f "$policy"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  if [[ ! -e $policy ]]; then
    placed=yes
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
    printf '  No daemon is started by the installation (a %s for its duration).\n' "$policy"
  fi
  progress "Installing" as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@" || exit 1
  [[ ! -d /run/systemd/system || " $* " != *" avahi-daemon "* ]] ||
    printf '  %s\n' "Debian will start avahi-daemon at the next boot. Hyperbasis uses it then, outside" \
      "the lab. To prevent it: systemctl disable avahi-daemon.service avahi-daemon.socket"
)

install_finish() {
  [[ -z $PROGRESS_PID ]] || printf '\nWaiting for apt to finish.\n' >&2
  [[ -z $PROGRESS_PID ]] || wait "$PROGRESS_PID" || true
  PROGRESS_PID=""
  progress_end
}
