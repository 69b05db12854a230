# Sourced by deploy/install.sh: settings, the command, and Caddy's site.
# shellcheck shell=bash

# Written once and then the operator's; what is given on the command line is written into it again.
write_settings() {
  settings_changed=no
  if [ ! -f "$settings" ]; then
    check_settings "$(new_settings)"
    put "$settings" 0640 "root:$account" <<<"$(new_settings)" && settings_changed=yes
    return
  fi
  (read_settings "$settings") || die "The settings can't be read, for the reason above." "Correct $settings, and run this again."
  refuse_other_name
  settings_before="$(cat "$settings"; printf x)"
  change_setting SLIPSTREAM_HOSTNAME "$name"
  change_setting SLIPSTREAM_MEMBERS "$members"
  check_settings "$(cat "$settings")"
  [ "$settings_changed" = yes ] || say "keeping $settings"
}

new_settings() {
  cat <<TEXT
# Settings of Slipstream; the table of all of them is in /opt/slipstream/current/docs/SETTINGS.md.
# After a change: systemctl restart slipstream
SLIPSTREAM_HOSTNAME=$name
SLIPSTREAM_MEMBERS=$members
SLIPSTREAM_OPERATOR_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
TEXT
}

# setting KEY: as the service gets it; nothing where it is not set.
setting() { (unset "$1" && read_settings "$settings" 2>/dev/null && printenv "$1") || true; }

# change_setting KEY VALUE: nothing without a value.
change_setting() {
  [ -n "$2" ] && [ "$(setting "$1")" != "$2" ] || return 0
  say "setting $1=$2 in $settings (it was ${1}=$(setting "$1"))"
  {
    sed "s|^$1=.*|$1=$2|" "$settings"
    grep -q "^$1=" "$settings" || printf '%s=%s\n' "$1" "$2"
  } | put "$settings" 0640 "root:$account"
  settings_changed=yes
}

# The name is the server's identity, so one that has data keeps it unless its operator insists.
refuse_other_name() {
  local before
  before="$(setting SLIPSTREAM_HOSTNAME)"
  [ -n "$name" ] && [ -n "$before" ] && [ "$name" != "$before" ] && [ -e "$data/slipstream.sqlite" ] || return 0
  die "This server is $before, and has members who know it by that name." \
    "Leave --hostname out; or read docs/OPERATING.md, “Moving”, and change SLIPSTREAM_HOSTNAME in $settings."
}

# check_settings TEXT: as the new version reads it, before anything is stopped.
check_settings() {
  [ "$dry_run" = no ] || return 0
  (
    export NODE_ENV=production SLIPSTREAM_DATA_DIR="$data"
    read_settings <(printf '%s\n' "$1") || exit
    cd "$release"
    run_as "$account" node_modules/.bin/node src/tools/cli/main.ts config check >/dev/null
  ) && return
  put_settings_back
  local hint="Run this again with other options"
  [ ! -f "$settings" ] || hint="$hint, or change $settings"
  die "The settings are refused, for the reason above; nothing was stopped or started." "$hint."
}

put_settings_back() {
  [ "$settings_changed" = yes ] && [ -n "${settings_before:-}" ] || return 0
  printf '%s' "${settings_before%x}" | put "$settings" 0640 "root:$account" || true
}

write_command() {
  # It must run with any release, so it brings how settings are read.
  sed "/^# deploy.install.read-settings$/r $source_dir/deploy/install/read-settings" "$source_dir/deploy/install/command" |
    put "$command" 0755 root:root || true
}

# In a dry run there may be no settings yet.
site_name() {
  if [ -f "$settings" ]; then setting SLIPSTREAM_HOSTNAME; else printf '%s' "$name"; fi
}

set_up_caddy() {
  [ "$with_caddy" = yes ] || return 0
  local changed=no
  # shellcheck disable=SC2016
  if sed -e "s/{\$SLIPSTREAM_HOSTNAME}/$(site_name)/" -e 's/{\$SLIPSTREAM_UPSTREAM:\([^}]*\)}/\1/' \
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
