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
#
# Root writes where root alone may write, and runs nothing that came from elsewhere. Packages are fetched by
# an account that does nothing else. In the data folder everything is done as Slipstream's own account, since
# what stands there, links too, is whatever that account wants it to be.
set -euo pipefail
# What a release consists of.
shipped=(package.json package-lock.json README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md CODE_OF_CONDUCT.md LICENSE deploy docs lexicons packages scripts src)
source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
# shellcheck source=deploy/install/arguments.sh
. "$source_dir/deploy/install/arguments.sh"
# shellcheck source=deploy/install/machine.sh
. "$source_dir/deploy/install/machine.sh"
# shellcheck source=deploy/install/release.sh
. "$source_dir/deploy/install/release.sh"
# shellcheck source=deploy/install/read-settings
. "$source_dir/deploy/install/read-settings"
# shellcheck source=deploy/install/settings.sh
. "$source_dir/deploy/install/settings.sh"
# shellcheck source=deploy/install/service.sh
. "$source_dir/deploy/install/service.sh"
# shellcheck source=deploy/install/database.sh
. "$source_dir/deploy/install/database.sh"

say() { printf 'slipstream: %s\n' "$*"; }

die() {
  printf 'slipstream: %s\n  %s\n' "$1" "$2" >&2
  exit 1
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

# run_as ACCOUNT COMMAND…: what that account may do, and no more.
run_as() {
  runuser -u "$1" -- env HOME=/nonexistent PATH="$PATH" "${@:2}"
}

read_arguments "$@"
set_paths
check_system
choose_members
install_packages
check_node
make_accounts
stage_release
write_settings
write_command
start_release
set_up_caddy
examine
say_what_is_next
