# Sourced by deploy/install.sh: settings, the command, and Caddy's site.
# shellcheck shell=bash

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
  put "$command" 0755 root:root <"$source_dir/deploy/install/command" || true
}

site_name() {
  printf '%s' "${name:-$(sed -n 's/^SLIPSTREAM_HOSTNAME=//p' "$settings")}"
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
