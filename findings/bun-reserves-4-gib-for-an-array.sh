#!/usr/bin/env bash
# Bun 1.4.5: a growable SharedArrayBuffer reserves at most 4 GiB, and says that memory is short where it is not.
#
# Guess: `maxByteLength` is address space in all runtimes, so a program that reserves 8 GiB of it and touches 4 bytes runs
#   in Bun as it does in Node and Deno; or else the error names the limit.
# Seen: Bun takes 4 GiB, several times over, and for 8 GiB throws “RangeError: Out of memory”, however much memory the
#   machine has. Deno 2.9.6 and Node 24 reserve 32 GiB at once.
# Output: bun 4 GiB, six times: reserved · bun 8 GiB: RangeError: Out of memory · deno 32 GiB: reserved
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false bun@1.4.5 deno@2.9.6 >/dev/null
cat >reserve.mjs <<'JS'
const [name, gib, times = '1'] = process.argv.slice(2)
const held = []
let fate = 'reserved'
try {
  for (let i = 0; i < Number(times); i++)
    held.push(new SharedArrayBuffer(4, { maxByteLength: Number(gib) * 2 ** 30 }))
} catch (error) {
  fate = String(error)
}
console.log(`${name} ${gib} GiB${held.length > 1 ? ', six times' : ''}: ${fate}`)
JS
{
  node_modules/.bin/bun run reserve.mjs bun 4 6
  node_modules/.bin/bun run reserve.mjs bun 8
  node_modules/.bin/deno run reserve.mjs deno 32
} | tee seen
cat >expected <<'END'
bun 4 GiB, six times: reserved
bun 8 GiB: RangeError: Out of memory
deno 32 GiB: reserved
END
diff expected seen
