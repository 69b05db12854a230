#!/usr/bin/env bash
# @skyware/jetstream 0.2.5 with `cursor: 0`, beside @atcute/jetstream 2.0.0.
#
# Guess: a cursor of 0 is a position like any other, before all events: the server sends the oldest that it still has,
#   which is how a new index is filled. The address has cursor=0, as it has cursor=1 for 1.
# Seen: 0 counts as no cursor: none is in the address, and the stream begins with what happens next. With 1 it is there.
#   @atcute/jetstream sends 0.
# Output: skyware 1 cursor=1 · skyware 0 no cursor · atcute 0 cursor=0
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

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
await new Promise((resolve) => server.on('listening', resolve))
const origin = `ws://127.0.0.1:${server.address().port}`

async function cursorOf(name, connect) {
  const request = new Promise((resolve) => server.once('connection', (_, { url }) => resolve(url)))
  connect()
  const cursor = new URL(await request, origin).searchParams.get('cursor')
  return `${name} ${cursor === null ? 'no cursor' : `cursor=${cursor}`}`
}

function skyware(cursor) {
  new Jetstream({ endpoint: `${origin}/subscribe`, ws: WebSocket, cursor }).start()
}

function atcute(cursor) {
  const stream = new JetstreamSubscription({ url: origin, cursor, ws: { WebSocket } })
  stream[Symbol.asyncIterator]().next()
}

const seen = [
  await cursorOf('skyware 1', () => skyware(1)),
  await cursorOf('skyware 0', () => skyware(0)),
  await cursorOf('atcute 0', () => atcute(0)),
].join(' · ')
console.log(seen)
process.exit(seen === 'skyware 1 cursor=1 · skyware 0 no cursor · atcute 0 cursor=0' ? 0 : 1)
JS
node run.mjs
