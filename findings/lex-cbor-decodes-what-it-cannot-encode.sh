#!/usr/bin/env bash
# @atproto/lex-cbor 0.1.6: decoding and encoding do not accept the same data.
#
# Guess: the package knows one form of data, so what it decodes it also encodes, to the same bytes; the CID of
#   something received can be computed from the decoded value.
# Seen: it decodes a float (1.5), which its encoder refuses as outside the data model, and a map whose keys are out of
#   order, which its encoder puts in order: other bytes, another CID. An integer in too many bytes is refused.
#   @atcute/cbor 2.3.6 does the opposite: it encodes 1.5, and refuses the map.
# Output: lex float decoded, not encoded · lex map other bytes · lex long integer refused · atcute float same bytes ·
#   atcute map refused · atcute long integer refused
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @atproto/lex-cbor@0.1.6 @atcute/cbor@2.3.6 >/dev/null
cat >run.mjs <<'JS'
import * as atcute from '@atcute/cbor'
import * as lex from '@atproto/lex-cbor'

const samples = {
  float: 'fb3ff8000000000000',
  // {"b": 1, "a": 2}
  map: 'a2616201616102',
  // 1, in two bytes
  'long integer': '1801',
}

function attempt(work) {
  try {
    return [work()]
  } catch {
    return undefined
  }
}

function fate({ decode, encode }, hex) {
  const decoded = attempt(() => decode(Buffer.from(hex, 'hex')))
  if (!decoded) return 'refused'
  const encoded = attempt(() => Buffer.from(encode(decoded[0])).toString('hex'))
  if (!encoded) return 'decoded, not encoded'
  return encoded[0] === hex ? 'same bytes' : 'other bytes'
}

const seen = Object.entries({ lex, atcute }).flatMap(([name, library]) =>
  Object.entries(samples).map(([what, hex]) => `${name} ${what} ${fate(library, hex)}`),
)
console.log(seen.join(' · '))
const expected = [
  'lex float decoded, not encoded',
  'lex map other bytes',
  'lex long integer refused',
  'atcute float same bytes',
  'atcute map refused',
  'atcute long integer refused',
]
process.exit(seen.join() === expected.join() ? 0 : 1)
JS
node run.mjs
