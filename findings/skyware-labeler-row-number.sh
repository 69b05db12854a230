#!/usr/bin/env bash
# @skyware/labeler 0.2.0: labels answered by com.atproto.label.queryLabels have the number of their row (`id`).
#
# Guess: a label in an answer is the one that was signed, so its signature covers everything but `sig`.
# Seen: the answer adds `id`, which the lexicon does not have and the signature does not cover. The same label
#   on subscribeLabels has none. So the signature is valid over the lexicon's fields, and invalid over the
#   label as answered without `sig`.
# Output: fields: cts id neg sig src uri val ver · signed, all but sig: false · the lexicon’s fields: true
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error \
  @skyware/labeler@0.2.0 @atcute/cbor@1.0.6 @noble/curves@1.8.1 @noble/hashes@1.7.1 >/dev/null
cat >run.mjs <<'JS'
import { encode } from '@atcute/cbor'
import { secp256k1 } from '@noble/curves/secp256k1'
import { sha256 } from '@noble/hashes/sha256'
import { LabelerServer } from '@skyware/labeler'

const key = `${'a'.repeat(63)}1`
const uri = 'at://did:plc:bbbbbbbbbbbbbbbbbbbbbbbb/app.bsky.feed.post/3kaaaaaaaaa2a'
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const server = new LabelerServer({ did, signingKey: key, dbPath: './labels.db' })
await new Promise((resolve) => server.start(0, resolve))
const { port } = server.app.server.address()
await server.createLabel({ uri, val: 'spam' })
const query = `uriPatterns=${encodeURIComponent(uri)}`
const answer = await fetch(`http://127.0.0.1:${port}/xrpc/com.atproto.label.queryLabels?${query}`)
const [label] = (await answer.json()).labels

const { sig, ...answered } = label
const { id, ...fields } = answered
const isSigned = (value) =>
  secp256k1.verify(
    Buffer.from(sig.$bytes, 'base64'),
    sha256(encode(value)),
    secp256k1.getPublicKey(key),
  )
console.log('fields:', Object.keys(label).sort().join(' '))
console.log('signed, all but sig:', isSigned(answered))
console.log('signed, the lexicon’s fields:', isSigned(fields))
process.exit(typeof id === 'number' && !isSigned(answered) && isSigned(fields) ? 0 : 1)
JS
node run.mjs
