# The lab: a small LAN of hosts on this machine, made of network namespaces. Source this file.
#
#   lab_up 3                     host1, host2, host3 on one switch, each with D-Bus and avahi-daemon
#   lab_on host2 COMMAND...      runs a command on a host (its network and its /run)
#   lab_cut host1                packets to and from host1 are silently lost; its carrier stays
#   lab_unplug host1             host1 loses its carrier, as when the cable is pulled
#   lab_heal host1               undoes both
#   lab_chain / lab_unchain      hosts other than host2 reach host2 only, not one another
#   lab_avahi_stop|start HOST    the avahi-daemon of one host; the same with lab_dbus_stop|start
#   lab_down                     ends everything; call it from an EXIT trap
#
# Nothing here touches the network of the machine: the switch is a bridge in a namespace of its own,
# and each cable is created inside it. A namespace lives as long as its holder process, and every
# process of the lab is told by the kernel to end when the script that started it ends, so that even
# `kill -9` of the script leaves nothing running. Start daemons from the script itself, therefore,
# and not from a `$( )` or `( )`.
#
# Where namespaces are refused, loopback.sh gives the functions another meaning; see there.

LAB_FORM=namespaces
LAB_DIR=""
LAB_HOSTS=()
LAB_SWITCH=""
declare -A LAB_HOLDER=() LAB_DBUS=() LAB_AVAHI=()
LAB_NETWORK4=10.77.0
LAB_NETWORK6=fd77:7777:7777:

lab_say() { printf '%s\n' "$*" >&2; }

# Runs a command that the kernel ends together with this script. The command replaces the shell, so
# that `$!` is its process id.
lab_tied() { exec setpriv --pdeathsig KILL "$@"; }

# lab_wait SECONDS COMMAND...: repeats the command until it succeeds or the time is over.
lab_wait() {
  local end=$((${EPOCHREALTIME/[.,]/} + $1 * 1000000))
  shift
  until "$@"; do
    ((${EPOCHREALTIME/[.,]/} < end)) || return 1
    sleep 0.02
  done
}

# Whether this process may make namespaces, mount in them and join them with a bridge.
lab_possible() {
  command -v ip >/dev/null || return 1
  unshare --net --mount --uts -- bash -c '
    mount -t tmpfs tmpfs /run && ip link add br0 type bridge &&
    ip link add port type veth peer name cable && ip link set port master br0' >/dev/null 2>&1
}

# --- up and down ---

lab_up() {
  local number
  unset DBUS_SYSTEM_BUS_ADDRESS
  lab_directory
  lab_hold switch
  LAB_SWITCH=${LAB_HOLDER[switch]}
  lab_in_switch ip link add br0 type bridge mcast_snooping 0
  lab_in_switch ip link set br0 addrgenmode none
  lab_in_switch ip link set br0 up
  for ((number = 1; number <= $1; number++)); do
    LAB_HOSTS+=("host$number")
    lab_hold "host$number"
    lab_cable "$number"
    lab_dbus_start "host$number"
    lab_avahi_start "host$number"
  done
  lab_wait 10 lab_addresses_ready || lab_say "lab: some addresses are still tentative"
}

lab_directory() {
  LAB_DIR=$(mktemp -d "${TMPDIR:-/tmp}/hb-lab.XXXXXX")
  chmod 755 "$LAB_DIR"
}

# Ends every process of the lab; the namespaces, the bridge and the cables go with the holders.
lab_down() {
  local name
  for name in "${LAB_HOSTS[@]}"; do
    lab_end "${LAB_AVAHI[$name]:-}"
    lab_end "${LAB_DBUS[$name]:-}"
  done
  for name in "${!LAB_HOLDER[@]}"; do lab_end "${LAB_HOLDER[$name]}"; done
  LAB_HOSTS=() LAB_HOLDER=() LAB_DBUS=() LAB_AVAHI=()
  [[ -z $LAB_DIR ]] || rm -rf "$LAB_DIR"
  LAB_DIR=""
}

# Ends one process that this script started, and waits until it is gone.
lab_end() {
  [[ -n $1 ]] || return 0
  kill -TERM "$1" 2>/dev/null || { wait "$1" 2>/dev/null || true; return 0; }
  if ! lab_wait 3 lab_is_gone "$1"; then kill -KILL "$1" 2>/dev/null || true; fi
  wait "$1" 2>/dev/null || true
}

# A process that has ended but was not yet waited for counts as gone.
lab_is_gone() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  [[ ${stat##*) } == Z* ]]
}

# --- hosts ---

# Starts the process that holds the namespaces NAME, with a /run of its own. avahi-daemon gives its
# directory to the user avahi; in a user namespace that user does not exist, so there the host sees a
# passwd file in which avahi is the one user that does.
lab_hold() {
  local directory="$LAB_DIR/$1"
  mkdir -p "$directory"
  lab_tied unshare --net --mount --uts -- bash -c '
    set -e
    mount -t tmpfs tmpfs /run
    mkdir -p /run/dbus /run/avahi-daemon /run/lock
    if ! chown avahi:avahi /run/avahi-daemon 2>/dev/null; then
      sed "s/^avahi:\([^:]*\):[0-9]*:[0-9]*:/avahi:\1:0:0:/" /etc/passwd >/run/passwd
      sed "s/^avahi:\([^:]*\):[0-9]*:/avahi:\1:0:/" /etc/group >/run/group
      mount --bind /run/passwd /etc/passwd
      mount --bind /run/group /etc/group
    fi
    hostname "$1" 2>/dev/null || printf "%s" "$1" >/proc/sys/kernel/hostname
    ip link set lo up
    for key in default all; do
      echo 0 >"/proc/sys/net/ipv6/conf/$key/accept_dad"
    done 2>/dev/null || true
    touch "$2/held"
    exec sleep infinity' holder "$1" "$directory" \
    </dev/null >"$directory/holder.log" 2>&1 &
  LAB_HOLDER[$1]=$!
  lab_wait 10 test -e "$directory/held" && return 0
  lab_say "lab: cannot make the namespaces of $1:"
  cat "$directory/holder.log" >&2
  return 1
}

# Joins host NUMBER to the switch and gives it its addresses.
lab_cable() {
  local number=$1 host="host$1"
  lab_in_switch ip link add "port$number" type veth \
    peer name eth0 netns "${LAB_HOLDER[$host]}"
  lab_in_switch ip link set "port$number" addrgenmode none
  lab_in_switch ip link set "port$number" master br0
  lab_in_switch ip link set "port$number" up
  lab_on "$host" ip address add "$LAB_NETWORK4.$number/24" dev eth0
  lab_on "$host" ip -6 address add "$LAB_NETWORK6:$number/64" dev eth0 nodad 2>/dev/null ||
    lab_say "lab: $host has no IPv6"
  lab_on "$host" ip link set eth0 up
}

lab_addresses_ready() {
  local host
  for host in "${LAB_HOSTS[@]}"; do
    [[ -z $(lab_on "$host" ip -6 address show dev eth0 tentative 2>/dev/null) ]] || return 1
  done
}

lab_in_switch() { nsenter --target "$LAB_SWITCH" --net -- "$@"; }

lab_number() { printf '%s' "${1#host}"; }

lab_address() { printf '%s.%s' "$LAB_NETWORK4" "${1#host}"; }

# The words that run a command on HOST, as an array in LAB_ENTER.
lab_enter() {
  LAB_ENTER=(nsenter "--target" "${LAB_HOLDER[$1]}" --net --mount --uts "--wd=$PWD" --)
}

# Runs a command on HOST. In the background (`lab_on host1 sleep 9 &`), `$!` belongs to a shell; use
# lab_spawn for the process id of the command.
lab_on() {
  local LAB_ENTER
  lab_enter "$1"
  shift
  "${LAB_ENTER[@]}" "$@"
}

# lab_spawn HOST LOG COMMAND...: starts a command on HOST in the background; LAB_PID is its process
# id, its standard output goes to LOG and its errors to LOG.err. It ends with this script.
lab_spawn() {
  local LAB_ENTER log=$2
  lab_enter "$1"
  shift 2
  lab_tied "${LAB_ENTER[@]}" "$@" </dev/null >"$log" 2>"$log.err" &
  LAB_PID=$!
}

# --- the network ---

lab_port() { printf 'port%s' "${1#host}"; }

lab_cut() { lab_in_switch bridge link set dev "$(lab_port "$1")" state 0; }

lab_unplug() { lab_in_switch ip link set "$(lab_port "$1")" down; }

lab_heal() {
  local port
  port=$(lab_port "$1")
  lab_in_switch ip link set "$port" up
  lab_in_switch bridge link set dev "$port" state 3 2>/dev/null || true
}

lab_plug() { lab_heal "$1"; }

# Isolated ports of a bridge reach only those that are not: all but host2 are isolated.
lab_chain() { lab_isolate on; }
lab_unchain() { lab_isolate off; }

lab_isolate() {
  local host
  for host in "${LAB_HOSTS[@]}"; do
    [[ $host == host2 ]] ||
      lab_in_switch bridge link set dev "$(lab_port "$host")" isolated "$1"
  done
}

# Whether FROM gets any answer from TO over IPv4: a connection to a port where nobody listens is
# refused at once when the hosts reach each other, and runs out of time when they do not.
lab_reaches() {
  local from=$1 to
  to=$(lab_address "$2")
  local answer
  answer=$(lab_on "$from" timeout 1 bash -c "exec 3<>/dev/tcp/$to/9" 2>&1) && return 0
  [[ $answer == *refused* ]]
}

# --- daemons ---

lab_dbus_start() {
  local directory="$LAB_DIR/$1"
  lab_dbus_configuration unix:path=/run/dbus/system_bus_socket >"$directory/dbus.conf"
  lab_spawn "$1" "$directory/dbus.log" \
    dbus-daemon "--config-file=$directory/dbus.conf" --nofork --nopidfile
  LAB_DBUS[$1]=$LAB_PID
  lab_wait 5 lab_on "$1" test -S /run/dbus/system_bus_socket && return 0
  lab_say "lab: dbus-daemon of $1 does not start:"
  cat "$directory/dbus.log.err" >&2
  return 1
}

lab_dbus_stop() {
  lab_end "${LAB_DBUS[$1]:-}"
  LAB_DBUS[$1]=""
  lab_on "$1" rm -f /run/dbus/system_bus_socket
}

# A message bus that asks nobody's permission: it is reachable inside its host only.
lab_dbus_configuration() {
  cat <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>$1</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*"/>
  </policy>
</busconfig>
XML
}

# Starts avahi-daemon; it answers after about a second. lab_avahi_ready waits for that.
lab_avahi_start() {
  local directory="$LAB_DIR/$1"
  lab_avahi_configuration "$1" eth0 >"$directory/avahi.conf"
  lab_spawn "$1" "$directory/avahi.log" avahi-daemon -f "$directory/avahi.conf" \
    --no-drop-root --no-chroot --no-rlimits
  LAB_AVAHI[$1]=$LAB_PID
  lab_wait 5 lab_on "$1" test -S /run/avahi-daemon/socket && return 0
  lab_say "lab: avahi-daemon of $1 does not start:"
  cat "$directory/avahi.log.err" >&2
  return 1
}

lab_avahi_stop() {
  lab_end "${LAB_AVAHI[$1]:-}"
  LAB_AVAHI[$1]=""
  lab_on "$1" rm -f /run/avahi-daemon/pid /run/avahi-daemon/socket
}

# Waits until the avahi-daemon of HOST has its host name (about a second after its start).
lab_avahi_ready() { lab_wait 10 grep -qs 'startup complete' "$LAB_DIR/$1/avahi.log.err"; }

lab_avahi_configuration() {
  cat <<CONF
[server]
host-name=$1
use-ipv4=yes
use-ipv6=yes
allow-interfaces=$2
ratelimit-interval-usec=1000000
ratelimit-burst=1000

[wide-area]
enable-wide-area=no

[publish]
publish-hinfo=no
publish-workstation=no
CONF
}
