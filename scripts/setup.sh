# Sourced by scripts/start and scripts/test: goes to the project's root, installs what
# package-lock.json names if that changed, and puts the right Node first on the PATH. The machine's
# own Node may be older; the npm package `node` carries the one we need.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "slipstream: $1" >&2
  echo "  $2" >&2
  exit 1
}

command -v npm >/dev/null 2>&1 ||
  fail "npm was not found." "Install Node.js with npm (any version from 18 on); the right Node is then fetched by itself."

# install_packages DIR: npm ci, skipped while DIR/node_modules fits its lock file. One at a time: the
# lock is on package-lock.json itself and is inherited by npm, so that one whose parent was killed is
# waited for as well. (macOS has no flock; there, two at once are on their own.)
install_packages() {
  is_installed "$1" && return
  exec 9<"$1/package-lock.json"
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "slipstream: waiting for another installation in $(cd "$1" && pwd)" >&2
    flock 9
  fi
  is_installed "$1" || run_npm_ci "$1"
  exec 9<&-
}

is_installed() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.slipstream-installed" 2>/dev/null
}

# Install scripts are not run: nothing here needs compiling, but npm would start node-gyp for
# better-sqlite3 (which brings its binary with it) and fail where there is no compiler. The exception
# is the package `node`, whose script fetches the binary for this machine.
run_npm_ci() {
  local dir log
  dir="$(cd "$1" && pwd)"
  echo "slipstream: installing packages in $dir, which takes a minute or so" >&2
  log=$(cd "$dir" && npm ci --ignore-scripts 2>&1 && fetch_node 2>&1) ||
    fail "npm ci failed in $dir." "$(explain_npm <<<"$log")"
  cp "$1/package-lock.json" "$1/node_modules/.slipstream-installed"
}

fetch_node() {
  [ ! -d node_modules/node ] || npm rebuild node --ignore-scripts=false
}

# npm's warnings about the machine's older Node are noise.
explain_npm() {
  sed '/^npm warn EBADENGINE/d' | sed '2,$s/^/  /'
}

install_packages .
export PATH="$PWD/node_modules/.bin:$PATH"
# Compiled code is kept between starts, which spares each a third of its processor time. A folder that
# can't be written is no matter.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/compiled}"

case "$(node --version)" in
  v24.*) ;;
  *) fail "expected Node 24 from node_modules/.bin, found $(node --version)." "Remove node_modules and run this again." ;;
esac
