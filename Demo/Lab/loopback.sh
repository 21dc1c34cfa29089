# The lab where namespaces are refused: several stores on this machine, joined by loopback only.
# Source this file after lab.sh and call `loopback_up` in place of `lab_up`.
#
# One avahi-daemon, told to use `lo` and nothing else, serves all hosts over a message bus of our
# own; the message bus and the avahi-daemon of the machine, if any, are not spoken to. It cannot be
# started without root, or while the machine runs an avahi-daemon of its own (both want one pid
# file, /run/avahi-daemon/pid). LOOPBACK_DISCOVERY then is `no` and LOOPBACK_WHY tells the reason;
# peers are to be given addresses by hand. There is no cable to pull: lab_cut and its like fail.

LOOPBACK_DISCOVERY=no
LOOPBACK_WHY=""

loopback_up() {
  local number
  LAB_FORM=loopback
  lab_directory
  for ((number = 1; number <= $1; number++)); do
    LAB_HOSTS+=("host$number")
    mkdir -p "$LAB_DIR/host$number"
  done
  export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$LAB_DIR/host1/bus"
  loopback_functions
  loopback_allowed || return 0
  if lab_dbus_start host1 && lab_avahi_start host1 && lab_avahi_ready host1; then
    LOOPBACK_DISCOVERY=yes
  else
    LOOPBACK_WHY="avahi-daemon cannot be started on lo"
  fi
}

loopback_allowed() {
  local pid
  if ((EUID != 0)); then
    LOOPBACK_WHY="avahi-daemon needs root to be started"
  elif pid=$(cat /run/avahi-daemon/pid 2>/dev/null) && [[ -d /proc/$pid ]]; then
    LOOPBACK_WHY="this machine runs an avahi-daemon of its own"
  elif ! command -v avahi-daemon dbus-daemon >/dev/null; then
    LOOPBACK_WHY="avahi-daemon or dbus-daemon is not installed"
  else
    return 0
  fi
  return 1
}

# Gives the functions of lab.sh their meaning on loopback.
loopback_functions() {
  lab_enter() { LAB_ENTER=(env "DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SYSTEM_BUS_ADDRESS"); }
  lab_address() { printf '127.0.0.1'; }
  lab_reaches() { true; }
  lab_cut() { lab_say "lab: there is no cable on loopback"; return 1; }
  lab_unplug() { lab_cut; }
  lab_heal() { lab_cut; }
  lab_isolate() { lab_cut; }

  lab_dbus_start() {
    lab_dbus_configuration "$DBUS_SYSTEM_BUS_ADDRESS" >"$LAB_DIR/host1/dbus.conf"
    lab_spawn host1 "$LAB_DIR/host1/dbus.log" \
      dbus-daemon "--config-file=$LAB_DIR/host1/dbus.conf" --nofork --nopidfile
    LAB_DBUS[host1]=$LAB_PID
    lab_wait 5 test -S "$LAB_DIR/host1/bus"
  }

  lab_avahi_start() {
    lab_avahi_configuration "hb-lab-$$" lo >"$LAB_DIR/host1/avahi.conf"
    lab_spawn host1 "$LAB_DIR/host1/avahi.log" avahi-daemon -f "$LAB_DIR/host1/avahi.conf" \
      --no-drop-root --no-chroot --no-rlimits
    LAB_AVAHI[host1]=$LAB_PID
  }
}
