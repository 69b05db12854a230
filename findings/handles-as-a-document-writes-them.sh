#!/usr/bin/env bash
# @atproto/identity 0.5.14 (getHandle) and @atcute/identity 2.0.2 (getAtprotoHandle): the handle in a DID document.
#
# Guess: handles are compared without regard to case (https://atproto.com/specs/handle), so both give the one in
#   alsoKnownAs in small letters; both leave out what is no handle, or both take the next alias then.
# Seen: both give it as it is written, so it is unequal to the name that was asked for. What is no handle (a slash after
#   it, a path, an underscore) the first gives as the handle, and the second gives none; neither goes on to a second,
#   valid alias.
# Output: capitals Alice.Example.COM both · slash alice.example.com/ and none · path alice.example.com/a and none
#   · underscore al_ice.example.com and none · second al_ice.example.com and none · first of two one.example.com both
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 @atproto/identity@0.5.14 @atcute/identity@2.0.2 >/dev/null
cat >run.mjs <<'JS'
import { getAtprotoHandle } from '@atcute/identity'
import { getHandle } from '@atproto/identity'

const id = 'did:plc:bbbbbbbbbbbbbbbbbbbbbbbb'
const cases = {
  capitals: ['at://Alice.Example.COM'],
  slash: ['at://alice.example.com/'],
  path: ['at://alice.example.com/a'],
  underscore: ['at://al_ice.example.com'],
  second: ['at://al_ice.example.com', 'at://alice.example.com'],
  'first of two': ['at://one.example.com', 'at://two.example.com'],
}

function readings(alsoKnownAs) {
  const document = { '@context': ['https://www.w3.org/ns/did/v1'], id, alsoKnownAs, service: [], verificationMethod: [] }
  const [first, second] = [getHandle(document), getAtprotoHandle(document)].map((handle) => handle ?? 'none')
  return first === second ? `${first} both` : `${first} and ${second}`
}

const line = Object.entries(cases).map(([name, aliases]) => `${name} ${readings(aliases)}`).join(' · ')
console.log(line)
const expected =
  'capitals Alice.Example.COM both · slash alice.example.com/ and none · path alice.example.com/a and none' +
  ' · underscore al_ice.example.com and none · second al_ice.example.com and none · first of two one.example.com both'
process.exit(line === expected ? 0 : 1)
JS
node_modules/.bin/node run.mjs
