#!/usr/bin/env bash
# @atproto/identity 0.5.14 and @atcute/identity 2.0.2: the PDS in a DID document whose service has an array of types.
#
# Guess: the type of a service is a text or several (https://www.w3.org/TR/did-core/#services), so both find the PDS of a
#   did:web whose document says ["AtprotoPersonalDataServer"]; and both take the same endpoints.
# Seen: the first compares the type with a text, and finds none; the second finds it. An endpoint with a path is taken by
#   the first and passed over by the second. So an account exists for one and not for the other.
# Output: text both · array atcute · path atproto · slash both
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error --ignore-scripts=false node@24.21.0 @atproto/identity@0.5.14 @atcute/identity@2.0.2 >/dev/null
cat >run.mjs <<'JS'
import { getPdsEndpoint } from '@atcute/identity'
import { getPds } from '@atproto/identity'

const id = 'did:web:alice.example.com'
const TYPE = 'AtprotoPersonalDataServer'
const endpoint = 'https://pds.example.com'

function document(type, serviceEndpoint) {
  const service = [{ id: '#atproto_pds', type, serviceEndpoint }]
  return { '@context': ['https://www.w3.org/ns/did/v1'], id, alsoKnownAs: ['at://alice.example.com'], service }
}

function foundBy(document) {
  const found = [getPds(document), getPdsEndpoint(document)].map((url) => url !== undefined)
  return found[0] ? (found[1] ? 'both' : 'atproto') : found[1] ? 'atcute' : 'neither'
}

const documents = {
  text: document(TYPE, endpoint),
  array: document([TYPE], endpoint),
  path: document(TYPE, `${endpoint}/alice`),
  slash: document(TYPE, `${endpoint}/`),
}
const seen = Object.entries(documents).map(([name, one]) => `${name} ${foundBy(one)}`).join(' · ')
console.log(seen)
process.exit(seen === 'text both · array atcute · path atproto · slash both' ? 0 : 1)
JS
node_modules/.bin/node run.mjs
