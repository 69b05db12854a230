#!/usr/bin/env bash
# @skyware/labeler 0.2.0: a label on a record whose key has an underscore is not found by its own URI.
#
# Guess: queryLabels with a whole at-URI, which has no wildcard, answers that record's labels. Record keys may
#   have underscores (https://atproto.com/specs/record-key), and feeds are often named so.
# Seen: 200 with no labels for …/my_feed, though the label exists; …/my-feed is found. A client that takes
#   the answer for complete withdraws a label that is in force.
# Output: my_feed 0 · my-feed 1
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @skyware/labeler@0.2.0 >/dev/null
cat >run.mjs <<'JS'
import { LabelerServer } from '@skyware/labeler'

const server = new LabelerServer({
  did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  signingKey: `${'a'.repeat(63)}1`,
  dbPath: './labels.db',
})
await new Promise((resolve) => server.start(0, resolve))
const { port } = server.app.server.address()
const found = {}
for (const name of ['my_feed', 'my-feed']) {
  const uri = `at://did:plc:bbbbbbbbbbbbbbbbbbbbbbbb/app.bsky.feed.generator/${name}`
  await server.createLabel({ uri, val: 'spam' })
  const query = `uriPatterns=${encodeURIComponent(uri)}`
  const url = `http://127.0.0.1:${port}/xrpc/com.atproto.label.queryLabels?${query}`
  found[name] = (await (await fetch(url)).json()).labels.length
  console.log(name, found[name])
}
process.exit(found['my_feed'] === 0 && found['my-feed'] === 1 ? 0 : 1)
JS
node run.mjs
