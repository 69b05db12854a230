#!/usr/bin/env bash
# The install script on a real bare system: a Debian of debootstrap's, entered by chroot. It is installed, run
# again, upgraded with planted links in the way, upgraded without, and given a version that does not come up.
# There is no systemd in there, so a stand-in for systemctl starts and stops the server as the unit would.
#
# Or, with --suite, all of scripts/test from a clone of the last commit, as a user without rights, on a system
# that has git, its own Node and npm, and Chromium. Arguments after the name go to scripts/test.
#
#   sudo test/deploy/bare-tree.sh bookworm            # needs debootstrap, a network and some 2 GB in TMPDIR
#   sudo test/deploy/bare-tree.sh trixie nodejs npm   # with packages that are there before
#   sudo MIRROR=… PARTS=main,universe test/deploy/bare-tree.sh noble   # Ubuntu: its keyring, and a script of that name (a link to gutsy)
#   sudo test/deploy/bare-tree.sh --suite bookworm    # half an hour, and 5 GB in TMPDIR
set -euo pipefail
task=install_on_tree
[ "${1:-}" != --suite ] || { task=test_on_tree; shift; }
suite="${1:?bookworm or trixie}"
shift
project="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
tree="$(mktemp -d "${TMPDIR:-/tmp}/slipstream-tree-XXXXXX")"
port=3987

leave() {
  [ ! -f "$tree/run/slipstream.pid" ] || kill "$(cat "$tree/run/slipstream.pid")" 2>/dev/null || true
  umount -l "$tree/proc" "$tree/dev/shm" "$tree/dev/pts" "$tree/dev" 2>/dev/null || true
  rm -rf --one-file-system "$tree" "$tree.log"
}
trap leave EXIT

say() { printf '\n=== %s\n' "$*"; }
inside() { chroot "$tree" env -u TMPDIR PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
as_account() { inside setpriv --reuid=slipstream --regid=slipstream --clear-groups "$@"; }
install() { inside bash -c 'cd /src && deploy/install.sh --no-doctor' </dev/null; }
runs() { inside systemctl is-active --quiet slipstream; }
expect() { "$@" || { printf 'not so: %s\n' "$*" >&2; exit 1; }; }
refuses() { ! "$@"; }

make_tree() {
  say "a bare $suite"
  debootstrap --variant=minbase --components="${PARTS:-main}" "$suite" "$tree" ${MIRROR:+"$MIRROR"} >"$tree.log" 2>&1 ||
    { tail -5 "$tree.log" >&2; exit 1; }
  # mktemp made it for root alone, and there the accounts inside could run nothing.
  chmod 0755 "$tree"
  # It is thrown away: that every file is on the disk before the next takes most of the time otherwise.
  echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/thrown-away"
  # Whom this machine trusts and asks, that one does too.
  cp /etc/resolv.conf "$tree/etc/resolv.conf"
  mkdir -p "$tree/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt "$tree/usr/local/share/ca-certificates/" 2>/dev/null || true
  mount -t proc proc "$tree/proc"
  mount --bind /dev "$tree/dev"
  # Private, or what is mounted in there would be mounted over this machine's own. Terminals are made in pts.
  mount --make-private "$tree/dev"
  mount --bind /dev/pts "$tree/dev/pts"
}

# add PACKAGE...: with what those need, and nothing else.
add() {
  [ $# -eq 0 ] || { inside apt-get update -q && inside apt-get install -y -q --no-install-recommends "$@"; } >/dev/null
}

bring_sources() {
  mkdir -p "$tree/src" "$tree/etc/slipstream"
  (cd "$project" && git ls-files -zco --exclude-standard | xargs -0 tar -cf -) | tar -xf - -C "$tree/src"
  printf '%s\n' SLIPSTREAM_HOSTNAME=appview.example.org SLIPSTREAM_MEMBERS=invite SLIPSTREAM_PORT=$port \
    >"$tree/etc/slipstream/slipstream.env"
  stand_in_for_systemd
}

stand_in_for_systemd() {
  cat >"$tree/usr/local/bin/systemctl" <<'TEXT'
#!/bin/bash
up() { [ -f /run/slipstream.pid ] && kill -0 "$(cat /run/slipstream.pid)" 2>/dev/null; }
start() {
  cd /opt/slipstream/current
  set -a
  NODE_ENV=production SLIPSTREAM_DATA_DIR=/var/lib/slipstream
  . /etc/slipstream/slipstream.env
  umask 077
  setsid setpriv --reuid=slipstream --regid=slipstream --init-groups \
    node_modules/.bin/node --max-semi-space-size=16 src/main.ts >>/var/log/slipstream.log 2>&1 </dev/null &
  echo $! >/run/slipstream.pid
}
case "$1 $2" in
  'start slipstream') up || (start) ;;
  'stop slipstream') up && kill "$(cat /run/slipstream.pid)"; while up; do sleep 0.2; done ;;
  'is-active --quiet') up ;;
  'is-failed --quiet') ! up ;;
esac
TEXT
  printf '#!/bin/sh\ntail -20 /var/log/slipstream.log\n' >"$tree/usr/local/bin/journalctl"
  chmod 0755 "$tree/usr/local/bin/systemctl" "$tree/usr/local/bin/journalctl"
}

refuse_planted() {
  say "an upgrade over planted links"
  echo secret >"$tree/root/secret"
  chmod 0600 "$tree/root/secret"
  mkdir "$tree/root/treasure"
  echo '// newer' >>"$tree/src/src/main.ts"
  local one
  for one in backups:/root/treasure slipstream.sqlite-wal:/root/secret; do
    as_account ln -sfn "${one#*:}" "/var/lib/slipstream/${one%%:*}"
    expect refuses install
    expect runs
    as_account rm "/var/lib/slipstream/${one%%:*}"
  done
  expect [ "$(cat "$tree/root/secret")" = secret ]
  expect [ "$(stat -c %u:%a "$tree/root/secret")" = 0:600 ]
  expect [ -z "$(ls "$tree/root/treasure")" ]
}

install_on_tree() {
  add "$@"
  bring_sources
  say "install"
  install
  expect runs
  expect [ -z "$(find "$tree/opt/slipstream" ! -user root -o -perm /7022 ! -type l)" ]
  expect [ -z "$(find "$tree/var/lib/slipstream" -perm /0077 ! -type l)" ]
  inside slipstream doctor --only software | tee "$tree/tmp/doctor"
  expect grep -q 'good   sharp' "$tree/tmp/doctor"
  inside du -sm /opt/slipstream/current/node_modules/ | cut -f1 | sed 's/$/ MB of packages/'
  say "run again"
  install | tee "$tree/tmp/again"
  expect grep -q 'is already running' "$tree/tmp/again"
  refuse_planted
  say "an upgrade"
  install
  expect runs
  expect [ -f "$tree/var/lib/slipstream/backups/before-upgrade.sqlite" ]
  say "an upgrade that does not come up"
  echo 'process.exit(70)' >"$tree/src/src/main.ts"
  sed -i 's/^health_tries=60/health_tries=5/' "$tree/src/deploy/install/arguments.sh"
  expect refuses install
  expect runs
}

test_on_tree() {
  say "its own Node and npm, git, and Chromium"
  add ca-certificates git nodejs npm chromium
  # Chromium draws into shared memory.
  mount -t tmpfs tmpfs "$tree/dev/shm"
  inside useradd --create-home --shell /bin/bash tester
  git -C "$project" bundle create -q "$tree/home/tester/main.bundle" HEAD
  say "scripts/test $*, with Node $(inside node --version) and npm $(inside npm --version)"
  inside setpriv --reuid=tester --regid=tester --clear-groups env HOME=/home/tester CI=true \
    bash -c 'cd && git clone -q main.bundle slipstream && cd slipstream && time scripts/test "$@"' tests "$@" </dev/null
}

make_tree
"$task" "$@"
say "all as it should be on $suite"
