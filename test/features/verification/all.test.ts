// VERIFY=all: a process that reads only relays, and believes of strangers, too, only what they signed.

import { afterEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { openReader } from '../../../src/data/store/db.ts'
import { streamCursors } from '../../../src/data/store/stream/stream-cursors.ts'
import { decodeFrame } from '../../../src/features/verification/firehose/frame.ts'
import { eventually, until } from '../../support/eventually.ts'
import { didDocument } from '../../support/plc-double.ts'
import { recordedFrames } from '../../support/recorded-frames.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'
import { startFirehoseDouble } from './firehose-double.ts'

const { frames, keys } = recordedFrames()
const dids = Object.keys(keys)
const [liar, unlisted] = dids
const ALL = { JETSTREAM_HOSTS: 'off', VERIFY: 'all' }
const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Numbers of posts that are not deleted, by account. */
function postsLeft(): Record<string, number> {
  const posts = new Map<string, string>()
  for (const frame of frames) {
    const message = decodeFrame(frame)
    if (typeof message === 'string' || !('kind' in message) || message.kind !== 'commit') continue
    for (const { action, collection, rkey } of message.ops) {
      if (collection !== 'app.bsky.feed.post') continue
      const key = `${message.did}/${rkey}`
      if (action === 'delete') posts.delete(key)
      else posts.set(key, message.did)
    }
  }
  return countsOf([...posts.values()])
}

function postsIn({ settings }: TimelinesProcess): Record<string, number> {
  const db = openReader(settings.DATA_DIR)
  const rows = db
    .prepare<[], string>(
      'SELECT did FROM posts JOIN actors ON actors.uid = posts.uid WHERE posts.cid IS NOT NULL',
    )
    .pluck()
    .all()
  db.close()
  return countsOf(rows)
}

function countsOf(dids: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const did of dids) counts[did] = (counts[did] ?? 0) + 1
  return counts
}

async function unverified(slipstream: TimelinesProcess, reason: string): Promise<number> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  const line = new RegExp(`^slipstream_unverified_total{.*reason="${reason}"} (.*)$`, 'm')
  return Number(line.exec(text)?.[1] ?? 0)
}

test('strangers’ commits count only as they signed them, and Jetstream is not asked', async () => {
  const relay = await startFirehoseDouble()
  const settings = { RELAY_HOSTS: relay.url, METRICS: 'open', MEMBERS: 'did:plc:nobody', ...ALL }
  const slipstream = await startTimelinesProcess([], settings)
  cleanups.push(relay.close, slipstream.close)
  for (const [i, did] of dids.entries()) {
    if (did === unlisted) continue
    const signingKey = keys[did === liar ? dids[2]! : did]!
    const document = { did, handle: `writer${i}.test`, pds: 'http://127.0.0.1:1', signingKey }
    slipstream.plc.edit(did, () => didDocument(document))
  }
  await slipstream.start()
  await until(() => relay.openConnections() === 1)
  for (const frame of frames) relay.send(frame)
  const expected = postsLeft()
  delete expected[liar!]
  delete expected[unlisted!]
  await eventually(() => expect(postsIn(slipstream)).toEqual(expected), { pollMs: 200 })
  await eventually(async () => {
    expect(await unverified(slipstream, 'bad-signature')).toBeGreaterThan(0)
    expect(await unverified(slipstream, 'unknown-key')).toBeGreaterThan(0)
  })
  expect(slipstream.double.openConnections()).toBe(0)
  const db = openReader(slipstream.settings.DATA_DIR)
  expect(streamCursors(db)).toEqual([])
  db.close()
})

test('keys are there after a restart, before the directory answers', async () => {
  const relay = await startFirehoseDouble()
  const settings = { RELAY_HOSTS: relay.url, METRICS: 'open', MEMBERS: 'did:plc:nobody', ...ALL }
  const slipstream = await startTimelinesProcess([], settings)
  cleanups.push(relay.close, slipstream.close)
  for (const [i, did] of dids.entries()) {
    const document = { did, handle: `writer${i}.test`, pds: 'http://127.0.0.1:1' }
    slipstream.plc.edit(did, () => didDocument({ ...document, signingKey: keys[did]! }))
  }
  await slipstream.start()
  await until(() => relay.openConnections() === 1)
  for (const frame of frames.slice(0, 250)) relay.send(frame)
  await eventually(() => expect(Object.keys(postsIn(slipstream)).length).toBe(dids.length))
  await slipstream.stop()
  slipstream.plc.failWith(503)
  for (const frame of frames.slice(250)) relay.send(frame)
  await slipstream.start()
  await eventually(() => expect(postsIn(slipstream)).toEqual(postsLeft()), { pollMs: 200 })
  expect(await unverified(slipstream, 'unknown-key')).toBe(0)
})

describe('settings that contradict each other are refused with what to do', () => {
  const load = (env: Record<string, string>) => () => {
    const prefixed = Object.entries(env).map(([key, value]) => [`SLIPSTREAM_${key}`, value])
    return loadConfig(Object.fromEntries(prefixed), '/nowhere/.env')
  }

  test.each([
    [{ VERIFY: 'all' }, /SLIPSTREAM_VERIFY is all, but SLIPSTREAM_JETSTREAM_HOSTS is not off/],
    [{ ...ALL, RELAY_HOSTS: 'off' }, /both off: nothing would bring events/],
    [{ ...ALL, STREAM_BUDGET_GB_MONTH: '90' }, /a relay leaves nothing out/],
    [{ ...ALL, ARCHIVE: 'on', INDEX_SCOPE: 'network' }, /the archive is a Jetstream host’s/],
  ])('%o', (env, message) => {
    expect(load(env)).toThrow(message)
  })

  test('without Jetstream, the public relays are the default', () => {
    expect(load(ALL)()).toMatchObject({ jetstreamHosts: [], relayHosts: 'auto', verify: 'all' })
  })
})
