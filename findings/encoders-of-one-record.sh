#!/usr/bin/env bash
# @atproto/lex-cbor 0.1.6, @ipld/dag-cbor 10.0.2 and @atcute/cbor 2.3.6: what they make of one JavaScript object.
#
# Guess: a record or a label has one deterministic encoding, so three encoders make the same bytes of an object or refuse
#   it: Node's Buffer is bytes, `{ "$bytes": … }` is how JSON writes bytes, and half of a surrogate pair, which UTF-8
#   cannot write, is refused.
# Seen: none refuses the half pair: all write U+FFFD in its place, so two texts have one CID. A Buffer is bytes for the
#   first two, and refused by the third, which takes plain Uint8Array only. `$bytes` and `$link` are bytes and a link for
#   the third, and maps with that key for the others: signatures over one and the same object differ. A field that is
#   undefined is left out by the first and the third, and refused by the second.
# Output: half pair U+FFFD U+FFFD U+FFFD · Buffer bytes bytes refused · $bytes map map bytes · $link map map link
#   · undefined left-out refused left-out
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error \
  @atproto/lex-cbor@0.1.6 @ipld/dag-cbor@10.0.2 @atcute/cbor@2.3.6 >/dev/null
cat >run.mjs <<'JS'
import * as atcute from '@atcute/cbor'
import * as lex from '@atproto/lex-cbor'
import * as dag from '@ipld/dag-cbor'

const cid = 'bafyreiebm7gcqocc3pfnsqmb3dht6zaptrzuwh2qshhh4litonkobd26oe'
const cases = {
  'half pair': { a: '\ud83d' },
  Buffer: { a: Buffer.from('hi') },
  $bytes: { a: { $bytes: 'aGk' } },
  $link: { a: { $link: cid } },
  undefined: { a: undefined },
}
/** By the first bytes after the head of the map, and its key. */
const kinds = { '63efbfbd': 'U+FFFD', '426869': 'bytes', 'a1': 'map', 'd82a': 'link' }

function kindOf(encode, value) {
  let bytes
  try {
    bytes = Buffer.from(encode(value)).toString('hex')
  } catch {
    return 'refused'
  }
  if (bytes === 'a0') return 'left-out'
  const written = bytes.replace(/^a16161/, '')
  return Object.entries(kinds).find(([start]) => written.startsWith(start))?.[1] ?? bytes
}

const line = Object.entries(cases)
  .map(([name, value]) => [name, ...[lex, dag, atcute].map(({ encode }) => kindOf(encode, value))].join(' '))
  .join(' · ')
console.log(line)
const expected =
  'half pair U+FFFD U+FFFD U+FFFD · Buffer bytes bytes refused · $bytes map map bytes · $link map map link' +
  ' · undefined left-out refused left-out'
process.exit(line === expected ? 0 : 1)
JS
node run.mjs
