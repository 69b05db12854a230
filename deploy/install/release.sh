# Sourced by deploy/install.sh: a version with its packages, in a folder that belongs to root.
# shellcheck shell=bash

# The same sources have the same name.
release_name() {
  local version digest
  version="$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$source_dir/package.json")"
  digest="$(cd "$source_dir" && find "${shipped[@]}" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)"
  printf '%s-%s' "$version" "${digest:0:12}"
  [ "$anew" = no ] || printf -- '-%(%H%M%S)T'
}

stage_release() {
  release="$app/releases/$(release_name)"
  [ -d "$release" ] && return
  say "installing the sources and their packages into $release, which takes about a minute"
  if [ "$dry_run" = yes ]; then
    printf 'would make: %s\n' "$release"
    return
  fi
  local unfinished="$release.unfinished" part
  rm -rf "$unfinished"
  mkdir -p "$app/releases"
  chmod 0755 "$app" "$app/releases"
  mkdir -m 0700 "$unfinished"
  for part in "${shipped[@]}"; do cp -R "$source_dir/$part" "$unfinished/"; done
  fetch_packages "$app/packages.unfinished" "$unfinished"
  chown -R root:root "$unfinished"
  # Nobody's rights but root's own come along, and no bit that would lend them.
  chmod -R a-st,u+rwX,go+rX,go-w "$unfinished"
  mv "$unfinished" "$release"
}

# fetch_packages FROM TO: the account for packages fetches them in a folder of its own, and bundles the server; root
# makes a copy of what it finds there, of which the account has neither a file nor an open one.
fetch_packages() {
  local part
  rm -rf "$1"
  mkdir -m 0700 "$1" "$1/scripts"
  for part in package.json package-lock.json packages src scripts/{setup.sh,drop-other-machines.ts,bundle-server.ts}; do
    cp -R "$source_dir/$part" "$1/$part"
  done
  chown -R "$builder:$builder" "$1"
  # shellcheck disable=SC2016
  (cd "$1" && run_as "$builder" env HOME="$1" bash -c '
    set -euo pipefail
    umask 022
    . scripts/setup.sh
    node scripts/bundle-server.ts
    mkdir -p .cache/server
    rm -rf node_modules/{.cache,rolldown,@rolldown,.bin/rolldown}
  ')
  (cd "$1" && run_as "$builder" tar -cf - node_modules .cache/server) | tar -xf - -C "$2" --no-same-owner --no-same-permissions
  rm -rf "$1"
}
