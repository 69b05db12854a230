# Sourced by deploy/install.sh: what the machine must be and have.
# shellcheck shell=bash

check_system() {
  local id_of_system
  [ "$dry_run" = yes ] || [ "$(id -u)" = 0 ] || die "This must be run as root." "Run it with sudo."
  # shellcheck source=/dev/null
  id_of_system="$(. "$root/etc/os-release" 2>/dev/null && printf '%s %s' "${ID:-}" "${ID_LIKE:-}")" || true
  case " $id_of_system " in
    *" debian "* | *" ubuntu "*) ;;
    *) die "This is neither Debian nor Ubuntu." "See docs/OPERATING.md for Docker or a manual installation." ;;
  esac
  case "$(uname -m)" in
    x86_64 | aarch64) ;;
    *) die "There is no Node 24 for $(uname -m)." "Use a machine with x86_64 or aarch64." ;;
  esac
  if [ -z "$name" ] && [ ! -f "$settings" ]; then
    die "The public host name is missing." "Run deploy/install.sh --hostname appview.example.org."
  fi
}

# Node and npm may be from elsewhere: Debian's npm would throw another's Node out.
install_packages() {
  local needed=(ca-certificates) missing=() package
  has_node || needed+=(nodejs npm)
  [ "$with_caddy" = no ] || needed+=(caddy)
  for package in "${needed[@]}"; do
    # shellcheck disable=SC2016
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  run apt-get update -q
  run env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

has_node() { node --version >/dev/null 2>&1 && npm --version >/dev/null 2>&1; }

# Node and npm of the system only fetch packages; among them is the Node that runs Slipstream.
check_node() {
  local major
  [ "$dry_run" = no ] || return 0
  major="$(node --version | sed 's/^v\([0-9]*\).*/\1/')"
  [ "$major" -ge 18 ] ||
    die "Node $major is too old to install packages with." "Debian 12 and Ubuntu 24.04 have newer ones; or install Node 18 or later yourself."
}

make_accounts() {
  make_account "$account" /var/lib/slipstream
  make_account "$builder" /nonexistent
  [ -d "$data" ] && return
  run mkdir -p "$data"
  run chmod 0700 "$data"
  run chown "$account:$account" "$data"
}

make_account() {
  id "$1" >/dev/null 2>&1 && return
  say "creating the system account $1"
  run useradd --system --user-group --home-dir "$2" --no-create-home --shell /usr/sbin/nologin "$1"
}
