#!/usr/bin/env bash
# @atcute/jetstream 2.0.0: an identity event that names no handle.
#
# Guess: `handle` may be missing, as the lexicon of the events behind it says (com.atproto.sync.subscribeRepos#identity
#   requires seq, did and time), and the client hands the event on: it is how a reader learns of new keys and a new PDS.
# Seen: its check of events wants a handle, so the event goes to `onError`, and is not in the stream; without an
#   `onError`, no trace of it. @skyware/jetstream 0.2.5 hands it on.
# Output: atcute with handle, next · atcute refused identity.handle · skyware no handle, with handle, next
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error @skyware/jetstream@0.2.5 @atcute/jetstream@2.0.0 ws@8.23.0 >/dev/null
cat >run.mjs <<'JS'
import { JetstreamSubscription } from '@atcute/jetstream'
import { Jetstream } from '@skyware/jetstream'
import WebSocket, { WebSocketServer } from 'ws'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const START = 1_790_000_000_000_000
const names = ['no handle', 'with handle', 'next']
const events = [{}, { handle: 'alice.example.com' }, { handle: 'bob.example.com' }].map((more, i) => {
  const identity = { did, seq: i + 1, time: '2026-01-01T00:00:00.000Z', ...more }
  return { did, time_us: START + i, kind: 'identity', identity }
})
const nameOf = ({ time_us }) => names[time_us - START]

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
await new Promise((resolve) => server.on('listening', resolve))
server.on('connection', (socket) => {
  for (const event of events) socket.send(JSON.stringify(event))
})
const origin = `ws://127.0.0.1:${server.address().port}`

async function byAtcute() {
  const refused = []
  const onError = ({ issues }) => refused.push(issues[0].path.map(({ key }) => key).join('.'))
  const received = []
  const options = { url: origin, cursor: START - 1, ws: { WebSocket }, onError }
  for await (const event of new JetstreamSubscription(options)) {
    received.push(nameOf(event))
    if (received.at(-1) === 'next') break
  }
  return `atcute ${received.join(', ')} · atcute refused ${refused.join(', ')}`
}

async function bySkyware() {
  const stream = new Jetstream({ endpoint: `${origin}/subscribe`, ws: WebSocket })
  const received = []
  await new Promise((resolve) => {
    stream.on('identity', (event) => {
      received.push(nameOf(event))
      if (received.at(-1) === 'next') resolve()
    })
    stream.start()
  })
  return `skyware ${received.join(', ')}`
}

const seen = `${await byAtcute()} · ${await bySkyware()}`
console.log(seen)
const expected =
  'atcute with handle, next · atcute refused identity.handle · skyware no handle, with handle, next'
process.exit(seen === expected ? 0 : 1)
JS
node run.mjs
