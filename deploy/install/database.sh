# Sourced by deploy/install.sh: the copy of the database from before an upgrade. Both functions that touch
# the data folder are run by in_data as Slipstream's account, and refuse what is not a plain file or folder.
# shellcheck shell=bash

# in_data FUNCTION…: runs it as the account, in the data folder.
in_data() {
  # shellcheck disable=SC2016
  run_as "$account" bash -c "set -euo pipefail; umask 077; $(declare -f refuse_links "$1")"'; cd -- "$0"; "$@"' "$data" "$@"
}

refuse_links() {
  local one
  for one in "$@"; do
    [ ! -L "$one" ] || {
      printf 'slipstream: %s is a symbolic link, and Slipstream makes none.\n' "$PWD/$one" >&2
      exit 3
    }
  done
}

has_database() { [ -e slipstream.sqlite ]; }

# The copy from before the last upgrade; the one before that goes.
copy_database() {
  local size room
  refuse_links slipstream.sqlite slipstream.sqlite-wal backups backups/before-upgrade.{unfinished,sqlite,sqlite-wal}
  size="$(du -k slipstream.sqlite | cut -f1)"
  room="$(df -k --output=avail . | tail -1)"
  if [ "$room" -le $((size + 65536)) ]; then
    printf 'slipstream: a copy of the database takes %s MB.\n' "$((size / 1024))" >&2
    exit 4
  fi
  mkdir -p backups
  rm -f backups/before-upgrade.sqlite-wal
  cp -P --reflink=auto slipstream.sqlite backups/before-upgrade.unfinished
  # A clean stop leaves no log; what was killed may have rows in it.
  [ ! -s slipstream.sqlite-wal ] || cp -P slipstream.sqlite-wal backups/before-upgrade.sqlite-wal
  mv backups/before-upgrade.unfinished backups/before-upgrade.sqlite
}

copied=no

back_up() {
  local code=0
  [ "$with_backup" = yes ] && in_data has_database || return 0
  say "copying the database to $data/backups"
  in_data copy_database || code=$?
  case "$code" in
    0) copied=yes ;;
    3) give_up "Nothing was copied." "Find out who made that link, remove it, and run this again." ;;
    4) give_up "There is no room for a copy of the database." "Free some disk, or run this with --no-backup." ;;
    *) give_up "The database could not be copied." "Its folder must belong to $account; or run this with --no-backup." ;;
  esac
}

restore_database() {
  refuse_links slipstream.sqlite slipstream.sqlite-wal backups backups/before-upgrade.{sqlite,sqlite-wal}
  rm -f slipstream.sqlite-wal slipstream.sqlite-shm
  cp -P --reflink=auto backups/before-upgrade.sqlite slipstream.sqlite
  [ ! -f backups/before-upgrade.sqlite-wal ] || cp -P backups/before-upgrade.sqlite-wal slipstream.sqlite-wal
}

# What the account did to its folder meanwhile is no reason to leave the new version in place.
restore() {
  [ "$copied" = yes ] || return 0
  in_data restore_database || say "the database could not be restored; the copy is in $data/backups"
}
