#!/usr/bin/env bash
# Node 24.21.0, `import { createServer } from 'node:http'` and `require('node:http').createServer`, in a process of their own.
#
# Guess: the same code is loaded; names that are not imported cost nothing, since Node loads fetch and WebSocket only
#   when they are used (both are lazy globals).
# Seen: the import loads Node's undici: for an ES module, Node reads every export of node:http once, among them WebSocket,
#   CloseEvent and MessageEvent, which are getters that load it. require does not, nor does an import of node:https or node:net.
#   It takes about half of such a process's start.
# Output: import node:http loads undici · require node:http does not · import node:https does not · import node:net does not
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 >/dev/null
node=node_modules/.bin/node
look="console.log(process.moduleLoadList.includes('NativeModule internal/deps/undici/undici') ? 'loads undici' : 'does not')"
for name in http https net; do
  printf "import { createServer } from 'node:%s'\nvoid createServer\n%s\n" "$name" "$look" >"$name.mjs"
done
printf "const { createServer } = require('node:http')\nvoid createServer\n%s\n" "$look" >http.cjs
seen="import node:http $($node http.mjs) · require node:http $($node http.cjs)"
for name in https net; do seen="$seen · import node:$name $($node $name.mjs)"; done
echo "$($node --version) $seen"
[ "$seen" = "import node:http loads undici · require node:http does not · import node:https does not · import node:net does not" ]
