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

# install_packages DIR: npm ci, skipped while DIR/node_modules fits its lock file.
install_packages() {
  local stamp="$1/node_modules/.slipstream-installed"
  cmp -s "$1/package-lock.json" "$stamp" 2>/dev/null && return
  echo "slipstream: installing the packages of ${1}" >&2
  # 2>&1: npm's warnings about the machine's older Node are noise unless the install fails.
  local log
  log=$(npm ci --prefix "$1" --no-audit --no-fund 2>&1) ||
    fail "npm ci failed in $1." "$log"
  cp "$1/package-lock.json" "$stamp"
}

install_packages .
export PATH="$PWD/node_modules/.bin:$PATH"

case "$(node --version)" in
  v24.*) ;;
  *) fail "expected Node 24 from node_modules/.bin, found $(node --version)." "Remove node_modules and run this again." ;;
esac
