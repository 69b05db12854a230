// A killed host loses its last events, and reuses their numbers for others when it is back. A client that
// asks for the event after its last one then gets a different event under that number, and misses the ones
// between.

import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  emitLikes,
  type Rig,
  startConsumer,
  startDouble,
  tempDir,
} from '../../../packages/jetstream/test/consumer-rig.ts'
import { openWriter } from '../../../src/data/store/db.ts'
import { putStreamCursor, streamCursors } from '../../../src/data/store/stream/stream-cursors.ts'
import type { JetstreamDouble } from '../../support/jetstream-double/double.ts'
import { didOf } from '../../support/jetstream-double/made-up-ids.ts'

const LIKE = 'app.bsky.feed.like'

/** Starts another host at the same address, whose next event has this number. */
async function replace(double: JetstreamDouble, firstSeq: number): Promise<JetstreamDouble> {
  const port = Number(new URL(double.url).port)
  await double.close()
  return startDouble({ port, firstSeq })
}

async function receive(double: JetstreamDouble, count: number, options = {}): Promise<Rig> {
  const rig = startConsumer(double, options)
  await rig.untilConnected()
  emitLikes(double, count)
  await rig.until(() => rig.events.length === count)
  return rig
}

test.each([
  ['parsed', {}],
  ['unread', { unread: [LIKE] }],
])(
  '%s events: another event under the last number is a gap, and is delivered',
  async (_how, options) => {
    const before = await startDouble()
    const rig = await receive(before, 10, options)
    const fromUs = rig.events.at(-1)!.timeUs
    const after = await replace(before, 8)
    emitLikes(after, 5)
    await rig.until(() => rig.events.length >= 13)
    expect(rig.seqs().slice(10)).toEqual([10, 11, 12])
    const toUs = rig.events[10]!.timeUs
    expect(rig.gaps).toEqual([{ host: before.url, cause: 'host-switch', fromUs, toUs }])
  },
)

test('the same after a restart, with the cursor saved with the rows', async () => {
  const before = await startDouble()
  const first = await receive(before, 10)
  await first.consumer.stop()
  const dataDir = tempDir()
  const db = openWriter(dataDir)
  putStreamCursor(db, first.cursors.at(-1)!, 1)
  const cursors = streamCursors(db)
  db.close()
  rmSync(dataDir, { recursive: true })
  expect(cursors).toEqual([first.cursors.at(-1)])
  const after = await replace(before, 8)
  emitLikes(after, 5)
  const rig = startConsumer(after, { cursors })
  await rig.until(() => rig.events.length === 3)
  expect(rig.gaps).toMatchObject([{ cause: 'host-switch', fromUs: cursors[0]!.timeUs }])
})

test('a number that now belongs to a filtered-out event is a gap as well', async () => {
  const before = await startDouble()
  const filters = { collections: [LIKE], dids: undefined }
  const rig = await receive(before, 10, { filters })
  const after = await replace(before, 9)
  emitLikes(after, 1)
  after.emit({ did: didOf(1), collection: 'app.bsky.feed.post', operation: 'delete', rkey: 'a' })
  emitLikes(after, 3)
  await rig.until(() => rig.events.length >= 13)
  expect(rig.gaps).toMatchObject([{ cause: 'host-switch' }])
})

test.each([
  ['parsed', {}],
  ['unread', { unread: [LIKE] }],
])('%s events: the same event again is no gap', async (_how, options) => {
  const double = await startDouble()
  const rig = await receive(double, 10, options)
  double.disconnect()
  await rig.until(() => double.connections().length > 1)
  emitLikes(double, 3)
  await rig.until(() => rig.events.length >= 13)
  expect([rig.gaps, rig.events.length]).toEqual([[], 13])
})
