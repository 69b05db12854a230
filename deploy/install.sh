#!/usr/bin/env bash
# Puts Slipstream on a bare Debian (12 or later) or Ubuntu (24.04 or later) server, or upgrades it there:
#
#   sudo deploy/install.sh --hostname appview.example.org
#
# It runs from a checkout of the sources and may be run again at any time: what is in place stays, what
# changed is replaced. An upgrade copies the database first, and puts everything back where the new version
# does not come up. Nothing below --root is touched with --dry-run; what would be done is printed.
#
#   /opt/slipstream/releases/NAME   each version with its packages; `current` points at the one that runs
#   /etc/slipstream/slipstream.env  settings, written once and then yours
#   /var/lib/slipstream             database and caches; backups/ has the copy from before the last upgrade
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: sudo deploy/install.sh --hostname NAME [options]

  --hostname NAME   public host name; DNS must point it here (only needed the first time)
  --members LIST    who may read here: open (default), or DIDs and handles separated by commas
  --no-caddy        don't install and set up Caddy; something else does TLS
  --no-backup       don't copy the database before an upgrade
  --dry-run         print what would be done, and do nothing
  --root DIR        put everything below DIR (for images and tests)
  --help            print this and stop
TEXT
}

name='' members='open' with_caddy=yes with_backup=yes dry_run=no root=''
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
account=slipstream
health_tries=60

say() { printf 'slipstream: %s\n' "$*"; }

die() {
  printf 'slipstream: %s\n  %s\n' "$1" "$2" >&2
  exit 1
}

read_arguments() {
  while [ $# -gt 0 ]; do
    case "$1" in
      --hostname | --members | --root)
        [ $# -ge 2 ] || die "$1 needs a value." "deploy/install.sh --help lists the options."
        case "$1" in
          --hostname) name="$2" ;;
          --members) members="$2" ;;
          --root) root="${2%/}" ;;
        esac
        shift
        ;;
      --no-caddy) with_caddy=no ;;
      --no-backup) with_backup=no ;;
      --dry-run) dry_run=yes ;;
      --help)
        usage
        exit 0
        ;;
      *) die "$1 is no option." "deploy/install.sh --help lists them." ;;
    esac
    shift
  done
  [ -z "$name" ] || [[ "$name" =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]] ||
    die "$name is no host name." "Give it in lower case, without https:// and without a port."
  [[ "$members" =~ ^[A-Za-z0-9:.,_%-]+$ ]] ||
    die "The list of members has characters that neither DIDs nor handles have." "Separate them by commas, without spaces."
}

set_paths() {
  app="$root/opt/slipstream"
  settings="$root/etc/slipstream/slipstream.env"
  data="$root/var/lib/slipstream"
  units="$root/etc/systemd/system"
  caddy_site="$root/etc/caddy/slipstream.caddy"
  caddyfile="$root/etc/caddy/Caddyfile"
  command="$root/usr/local/bin/slipstream"
}

# run COMMAND…: does it, or says so.
run() {
  if [ "$dry_run" = yes ]; then
    printf 'would run: %s\n' "$*"
  else
    "$@"
  fi
}

# put PATH MODE OWNER: writes standard input there unless it stands there already. True if it changed.
put() {
  local path="$1" mode="$2" owner="$3" content
  content="$(cat; printf x)"
  if [ -f "$path" ] && [ "$(cat "$path"; printf x)" = "$content" ]; then
    return 1
  fi
  if [ "$dry_run" = yes ]; then
    printf 'would write: %s\n' "$path"
    return 0
  fi
  if ! { mkdir -p "$(dirname "$path")" && (umask 077 && printf '%s' "${content%x}" >"$path.new"); }; then
    die "$path could not be written." "Its folder must be writable, and the disk must have room."
  fi
  chmod "$mode" "$path.new"
  chown "$owner" "$path.new"
  mv "$path.new" "$path"
}

check_system() {
  local id_of_system
  [ "$dry_run" = yes ] || [ "$(id -u)" = 0 ] || die "This must be run as root." "Run it with sudo."
  # shellcheck source=/dev/null
  id_of_system="$(. "$root/etc/os-release" 2>/dev/null && printf '%s %s' "${ID:-}" "${ID_LIKE:-}")" || true
  case " $id_of_system " in
    *" debian "* | *" ubuntu "*) ;;
    *) die "This is neither Debian nor Ubuntu." "See docs/OPERATING.md for Docker, or for doing it by hand." ;;
  esac
  case "$(uname -m)" in
    x86_64 | aarch64) ;;
    *) die "There is no Node 24 for $(uname -m)." "Use a machine with x86_64 or aarch64." ;;
  esac
  if [ -z "$name" ] && [ ! -f "$settings" ]; then
    die "The public host name is missing." "Run deploy/install.sh --hostname appview.example.org."
  fi
}

install_packages() {
  local wanted=(ca-certificates nodejs npm) missing=() package
  [ "$with_caddy" = no ] || wanted+=(caddy)
  for package in "${wanted[@]}"; do
    # shellcheck disable=SC2016
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  run apt-get update -q
  run env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# npm of the system only fetches packages; among them is the Node that runs Slipstream.
check_node() {
  local major
  [ "$dry_run" = no ] || return 0
  major="$(node --version | sed 's/^v\([0-9]*\).*/\1/')"
  [ "$major" -ge 18 ] ||
    die "Node $major is too old to install packages with." "Debian 12 and Ubuntu 24.04 have newer ones; or install Node 18 or later yourself."
}

make_account() {
  if ! id "$account" >/dev/null 2>&1; then
    say "making the system account $account"
    run useradd --system --user-group --home-dir /var/lib/slipstream --no-create-home --shell /usr/sbin/nologin "$account"
  fi
  [ -d "$data" ] && return
  run mkdir -p "$data"
  run chmod 0700 "$data"
  run chown "$account:$account" "$data"
}

shipped=(package.json package-lock.json README.md CHANGELOG.md CONTRIBUTING.md deploy docs lexicons scripts src)

# The same sources have the same name.
release_name() {
  local version digest
  version="$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$source_dir/package.json")"
  digest="$(cd "$source_dir" && find "${shipped[@]}" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)"
  printf '%s-%s' "$version" "${digest:0:12}"
}

as_account() {
  runuser -u "$account" -- env HOME="$1" PATH="$PATH" "${@:2}"
}

# Packages are fetched by the account without rights, and belong to root afterwards.
stage_release() {
  release="$app/releases/$(release_name)"
  [ -d "$release" ] && return
  say "putting the sources and their packages into $release, which takes a minute or so"
  if [ "$dry_run" = yes ]; then
    printf 'would make: %s\n' "$release"
    return
  fi
  local unfinished="$release.unfinished" part
  rm -rf "$unfinished"
  mkdir -p "$unfinished"
  for part in "${shipped[@]}"; do cp -R "$source_dir/$part" "$unfinished/"; done
  chown -R "$account:$account" "$unfinished"
  (
    cd "$unfinished"
    as_account "$unfinished" npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
    as_account "$unfinished" npm rebuild node --ignore-scripts=false --loglevel=error
    # For scripts/start, which would fetch them once more.
    cp package-lock.json node_modules/.slipstream-installed
    rm -rf .npm
  )
  chown -R root:root "$unfinished"
  chmod -R go+rX "$unfinished"
  mv "$unfinished" "$release"
}

write_settings() {
  if [ -f "$settings" ]; then
    say "keeping $settings"
    return
  fi
  put "$settings" 0640 "root:$account" <<TEXT
# Settings of Slipstream; the table of all of them is in /opt/slipstream/current/README.md.
# After a change: systemctl restart slipstream
SLIPSTREAM_HOSTNAME=$name
SLIPSTREAM_MEMBERS=$members
SLIPSTREAM_OPERATOR_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
TEXT
}

write_command() {
  put "$command" 0755 root:root <<'TEXT' || true
#!/bin/sh
# Slipstream's command line, as the account and with the settings of the service.
set -eu
[ "$(id -u)" = 0 ] || exec sudo "$0" "$@"
set -a
NODE_ENV=production
SLIPSTREAM_DATA_DIR=/var/lib/slipstream
. /etc/slipstream/slipstream.env
set +a
cd /opt/slipstream/current
exec setpriv --reuid=slipstream --regid=slipstream --init-groups \
  node_modules/.bin/node src/cli/main.ts "$@"
TEXT
}

set_up_caddy() {
  [ "$with_caddy" = yes ] || return 0
  local site_name changed=no
  site_name="${name:-$(sed -n 's/^SLIPSTREAM_HOSTNAME=//p' "$settings")}"
  # shellcheck disable=SC2016
  if sed -e "s/{\$SLIPSTREAM_HOSTNAME}/$site_name/" -e 's/{\$SLIPSTREAM_UPSTREAM:\([^}]*\)}/\1/' \
    "$source_dir/deploy/caddy/Caddyfile" | put "$caddy_site" 0644 root:root; then
    changed=yes
  fi
  if ! grep -qsx 'import /etc/caddy/slipstream.caddy' "$caddyfile"; then
    { cat "$caddyfile" 2>/dev/null || true; printf '\nimport /etc/caddy/slipstream.caddy\n'; } |
      put "$caddyfile" 0644 root:root && changed=yes
  fi
  [ "$changed" = yes ] || return 0
  run caddy validate --config "$caddyfile" --adapter caddyfile
  run systemctl enable caddy
  run systemctl reload-or-restart caddy
}

# The copy from before the last upgrade; the one before that goes.
back_up() {
  local database="$data/slipstream.sqlite" folder="$data/backups" size room
  [ "$with_backup" = yes ] && [ -f "$database" ] || return 0
  size="$(du -k "$database" | cut -f1)"
  room="$(df -k --output=avail "$data" | tail -1)"
  [ "$room" -gt $((size + 65536)) ] ||
    give_up "There is no room for a copy of the database ($((size / 1024)) MB)." "Free some disk, or run this with --no-backup."
  say "copying the database to $folder"
  mkdir -p "$folder"
  rm -f "$folder/before-upgrade.sqlite-wal"
  cp --reflink=auto "$database" "$folder/before-upgrade.unfinished"
  # A clean stop leaves no log; what was killed may have rows in it.
  [ ! -s "$database-wal" ] || cp "$database-wal" "$folder/before-upgrade.sqlite-wal"
  mv "$folder/before-upgrade.unfinished" "$folder/before-upgrade.sqlite"
  chmod 0700 "$folder"
  chown -R "$account:$account" "$folder"
}

# Nothing has changed yet: what ran, runs on.
give_up() {
  systemctl start slipstream || true
  die "$@"
}

point_at() {
  ln -sfn "$1" "$app/current.new"
  mv -T "$app/current.new" "$app/current"
}

is_healthy() {
  local port try
  port="$(sed -n 's/^SLIPSTREAM_PORT=//p' "$settings")"
  for ((try = 0; try < health_tries; try++)); do
    "$release/node_modules/.bin/node" -e '
      fetch("http://127.0.0.1:" + process.argv[1] + "/xrpc/_health")
        .then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))
    ' "${port:-3000}" && return 0
    systemctl is-failed --quiet slipstream && return 1
    sleep 1
  done
  return 1
}

# Back to what ran before; the database too, since the new version may have changed its form.
put_back() {
  local previous="$1" copy="$data/backups/before-upgrade.sqlite"
  systemctl stop slipstream || true
  journalctl -u slipstream -n 20 --no-pager >&2 || true
  [ -n "$previous" ] || die "Slipstream did not come up." "Its last words are above; journalctl -u slipstream has all of them."
  if [ "$with_backup" = yes ] && [ -f "$copy" ]; then
    rm -f "$data/slipstream.sqlite-wal" "$data/slipstream.sqlite-shm"
    cp --reflink=auto "$copy" "$data/slipstream.sqlite"
    [ ! -f "$copy-wal" ] || cp "$copy-wal" "$data/slipstream.sqlite-wal"
    chown "$account:$account" "$data"/slipstream.sqlite*
  fi
  point_at "$previous"
  systemctl start slipstream || true
  die "The new version did not come up; the one before runs again." "Its last words are above; journalctl -u slipstream has all of them."
}

start_release() {
  local unit_changed=no previous='' unit
  for unit in slipstream.service slipstream-backup.service slipstream-backup.timer; do
    put "$units/$unit" 0644 root:root <"$source_dir/deploy/systemd/$unit" && unit_changed=yes
  done
  [ ! -L "$app/current" ] || previous="$(readlink "$app/current")"
  [ "$unit_changed" = no ] || run systemctl daemon-reload
  run systemctl enable slipstream
  if [ "$previous" = "$release" ] && [ "$unit_changed" = no ] && systemctl is-active --quiet slipstream; then
    say "$(basename "$release") runs already"
    return
  fi
  if [ "$dry_run" = yes ]; then
    printf 'would start: %s\n' "$release"
    return
  fi
  [ -z "$previous" ] || systemctl stop slipstream
  [ -z "$previous" ] || back_up
  point_at "$release"
  systemctl start slipstream || put_back "$previous"
  is_healthy || put_back "$previous"
  remove_old_releases "$previous"
  say "$(basename "$release") runs"
}

# The one before stays, to go back to.
remove_old_releases() {
  local one
  for one in "$app"/releases/*; do
    [ "$one" = "$release" ] || [ "$one" = "$1" ] || rm -rf "$one"
  done
}

read_arguments "$@"
set_paths
check_system
install_packages
check_node
make_account
stage_release
write_settings
write_command
start_release
set_up_caddy
[ "$dry_run" = yes ] || say "done. slipstream doctor checks the rest."
