# Sourced by deploy/install.sh: the service is stopped, started, asked how it is, and put back.
# shellcheck shell=bash

start_release() {
  local unit_changed=no previous='' unit
  for unit in slipstream.service slipstream-backup.service slipstream-backup.timer; do
    put "$units/$unit" 0644 root:root <"$source_dir/deploy/systemd/$unit" && unit_changed=yes
  done
  [ ! -L "$app/current" ] || previous="$(readlink "$app/current")"
  [ "$unit_changed" = no ] || run systemctl daemon-reload
  run systemctl enable slipstream
  if [ "$previous" = "$release" ] && [ "$unit_changed$settings_changed" = nono ] && systemctl is-active --quiet slipstream; then
    say "$(basename "$release") is already running"
    return
  fi
  if [ "$dry_run" = yes ]; then
    printf 'would start: %s\n' "$release"
    return
  fi
  [ -z "$previous" ] || systemctl stop slipstream
  [ -z "$previous" ] || back_up
  point_at "$release"
  started_at="$(date +%s)"
  systemctl start slipstream || put_back "$previous"
  is_healthy || put_back "$previous"
  remove_old_releases "$previous"
  say "$(basename "$release") is running"
}

point_at() {
  ln -sfn "$1" "$app/current.new"
  mv -T "$app/current.new" "$app/current"
}

is_healthy() {
  local port try
  port="$(setting SLIPSTREAM_PORT)"
  for ((try = 0; try < health_tries; try++)); do
    answers "http://127.0.0.1:${port:-3000}/xrpc/_health" && return 0
    systemctl is-failed --quiet slipstream && return 1
    sleep 1
  done
  return 1
}

answers() {
  run_as "$account" "$release/node_modules/.bin/node" -e '
    fetch(process.argv[1], { signal: AbortSignal.timeout(3_000) }).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))
  ' "$1"
}

# Nothing has changed yet: what ran, runs on.
give_up() {
  systemctl start slipstream || true
  die "$@"
}

# Back to what ran before; settings and the database too, since the new version may have changed its form.
put_back() {
  local previous="$1" log="Its last log lines are above; journalctl -u slipstream has all."
  systemctl stop slipstream || true
  journalctl -u slipstream --since "@$started_at" -n 20 --no-pager >&2 || true
  put_settings_back
  [ "$previous" != "$release" ] || [ "$settings_changed" = yes ] || previous=''
  [ -n "$previous" ] || die "Slipstream did not start." "$log"
  restore
  point_at "$previous"
  systemctl start slipstream || true
  is_healthy ||
    die "Slipstream did not start, and what was here before does not answer either." "$log"
  [ "$previous" != "$release" ] ||
    die "Slipstream did not start with these settings; with the previous ones it runs again." "$log"
  die "The new version did not start; the previous one runs again." "$log"
}

# The one before stays, to go back to.
remove_old_releases() {
  local one
  for one in "$app"/releases/*; do
    [ "$one" = "$release" ] || [ "$one" = "$1" ] || rm -rf "$one"
  done
}

# What is wrong is told and no reason to fail: a name's DNS may still be on its way.
examine() {
  [ "$with_doctor" = yes ] || return 0
  if [ "$dry_run" = yes ]; then
    printf 'would run: slipstream doctor\n'
    return
  fi
  wait_for_certificate
  say "running slipstream doctor, which takes up to half a minute"
  (
    export NODE_ENV=production SLIPSTREAM_DATA_DIR="$data"
    read_settings "$settings" || exit
    cd "$release"
    run_as "$account" node_modules/.bin/node src/tools/cli/main.ts doctor
  ) || say "the lines above say what is WRONG and how to fix it; slipstream doctor checks again"
}

# Caddy gets it at the first start.
wait_for_certificate() {
  local host try
  [ "$with_caddy" = yes ] || return 0
  host="$(site_name)"
  for ((try = 0; try < 20; try++)); do
    answers "https://$host/xrpc/_health" && return
    sleep 1
  done
}

say_what_is_next() {
  [ "$dry_run" = no ] || return 0
  say "done; slipstream --help lists the commands"
  case ",$(setting SLIPSTREAM_MEMBERS)," in
    *,invite,*) say "slipstream invite create makes a code for one account, to enter at https://$(site_name)/invite" ;;
  esac
}
