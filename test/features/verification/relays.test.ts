// A process that reads a relay double, with frames of a real PDS: always, and once Jetstream is silent.

import { afterEach, expect, test } from 'vitest'
import { openReader } from '../../../src/data/store/db.ts'
import { firehoseCursors } from '../../../src/data/store/stream/stream-cursors.ts'
import { decodeFrame } from '../../../src/features/verification/firehose/frame.ts'
import { eventually, until } from '../../support/eventually.ts'
import { didDocument } from '../../support/plc-double.ts'
import { recordedFrames } from '../../support/recorded-frames.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'
import { type FirehoseDouble, startFirehoseDouble } from './firehose-double.ts'

const { frames, keys } = recordedFrames()
const dids = Object.keys(keys)
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(settings: Record<string, string>) {
  const relay = await startFirehoseDouble()
  const env = { RELAY_HOSTS: relay.url, METRICS: 'open', MEMBERS: dids.join(','), ...settings }
  const slipstream = await startTimelinesProcess([], env)
  cleanups.push(relay.close, slipstream.close)
  for (const [i, did] of dids.entries()) {
    const document = { did, handle: `writer${i}.test`, pds: 'http://127.0.0.1:1' }
    slipstream.plc.edit(did, () => didDocument({ ...document, signingKey: keys[did]! }))
  }
  return { relay, slipstream }
}

/** What is left of the recorded history: the posts that were not deleted. */
function postsLeft(): number {
  const posts = new Set<string>()
  for (const frame of frames) {
    const message = decodeFrame(frame)
    if (typeof message === 'string' || !('kind' in message) || message.kind !== 'commit') continue
    for (const { action, collection, rkey } of message.ops) {
      if (collection !== 'app.bsky.feed.post') continue
      if (action === 'delete') posts.delete(`${message.did}/${rkey}`)
      else posts.add(`${message.did}/${rkey}`)
    }
  }
  return posts.size
}

async function metric(slipstream: TimelinesProcess, pattern: string): Promise<number> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  return Number(new RegExp(`^slipstream_${pattern} (.*)$`, 'm').exec(text)?.[1] ?? 0)
}

function postsIn(slipstream: TimelinesProcess): number {
  const db = openReader(slipstream.settings.DATA_DIR)
  const count = db.prepare('SELECT count(*) FROM posts WHERE cid IS NOT NULL').pluck().get()
  db.close()
  return count as number
}

async function sendAll(relay: FirehoseDouble, all: readonly Buffer[]): Promise<void> {
  for (const frame of all) relay.send(frame)
}

test('a relay that is read always fills the index, and goes on behind its number after a kill', async () => {
  const { relay, slipstream } = await start({ RELAY_USE: 'always' })
  await slipstream.start()
  await until(() => relay.openConnections() === 1)
  await sendAll(relay, frames.slice(0, 250))
  await eventually(async () => {
    expect(await metric(slipstream, 'events_total{kind="commit"}')).toBeGreaterThan(100)
  })
  await slipstream.kill()
  await sendAll(relay, frames.slice(250))
  await slipstream.start()
  await eventually(() => expect(postsIn(slipstream)).toBe(postsLeft()), { pollMs: 200 })
  expect(relay.cursors[1]).not.toBeNull()
  expect(await metric(slipstream, 'unverified_total.*')).toBe(0)
  const db = openReader(slipstream.settings.DATA_DIR)
  expect(firehoseCursors(db)).toMatchObject([{ host: relay.url, wire: 'repos' }])
  db.close()
})

test('a commit that its account did not sign is not indexed, and is counted', async () => {
  const { relay, slipstream } = await start({ RELAY_USE: 'always' })
  const [liar] = dids
  const other = { did: liar!, handle: 'writer0.test', pds: 'http://127.0.0.1:1' }
  slipstream.plc.edit(liar!, () => didDocument({ ...other, signingKey: keys[dids[1]!]! }))
  await slipstream.start()
  await until(() => relay.openConnections() === 1)
  await sendAll(relay, frames)
  const labels = `host="${relay.url}",reason="bad-signature"`
  await eventually(async () => {
    expect(await metric(slipstream, `unverified_total{${labels}}`)).toBeGreaterThan(50)
  })
})

test('in reserve, it is read once Jetstream is silent for a minute, and left once that is back', async () => {
  const { relay, slipstream } = await start({})
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
  slipstream.double.refuseHandshakes({ status: 503, name: 'Away', message: 'away' }, 1_000)
  slipstream.double.disconnect()
  await slipstream.stop()
  await slipstream.start()
  await until(() => relay.cursors.length > 1)
  await sendAll(relay, frames)
  await eventually(() => expect(postsIn(slipstream)).toBe(postsLeft()), { pollMs: 200 })
})
