// A commit may be delivered unread, judged by its bytes alone. Tested here: the result equals that of parsing
// the frame, and no account named in it is missed; over valid, shuffled, escaped, duplicated and broken JSON,
// on both wires.

import {
  type CommitEvent,
  createFrameDecoder,
  type UnreadCommit,
  type WriteEvent,
} from '@slipstream/jetstream'
import { expect, test } from 'vitest'
import { collections } from '../../../src/base/atproto/collections.ts'
import { hostileFrame } from '../../support/hostile-frames.ts'
import { frameV1, frameV2, type LoggedEmission } from '../../support/jetstream-double/emission.ts'
import { createNetworkStream, didOf } from '../../support/network-stream.ts'
import { createRandom } from '../../support/random.ts'
import { cidOf } from '../../support/records.ts'

const SEED = Number(process.env['SEED'] ?? 7_112_026)
const FRAMES = 20_000
const maxFrameBytes = 1_000_000

/** Yields every text in `value` that could hold an account's DID. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) yield* textsIn(item)
  }
}

function accountsNamedIn(record: unknown): Set<string> {
  const found = new Set<string>()
  for (const text of textsIn(record)) {
    if (text.startsWith('did:')) found.add(text)
    if (text.startsWith('at://did:')) found.add(text.slice(5).split('/')[0]!)
  }
  return found
}

function accountsSeenIn({ bytes, accountsAt }: UnreadCommit): Set<string> {
  return new Set(accountsAt.map((at) => didAt(bytes, at)))
}

function didAt(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.subarray(at, at + 32)).toString()
}

function expectSame(unread: UnreadCommit, event: CommitEvent): void {
  expect(unread.read()).toEqual(event)
  const { timeUs, seq, operation, collection } = unread
  expect({ timeUs, seq, operation, collection }).toEqual({
    timeUs: event.timeUs,
    seq: event.seq,
    operation: event.operation,
    collection: event.collection,
  })
  expect(didAt(unread.bytes, unread.creatorAt)).toBe(event.did)
  if (event.operation === 'delete') return
  const seen = accountsSeenIn(unread)
  for (const did of accountsNamedIn(event.record)) {
    // A text like `did:plc:…/x` is not an account, but its prefix is noted anyway.
    expect(seen, `${did} in ${JSON.stringify(event.record)}`).toContain(did.split('/')[0])
  }
}

for (const wire of ['v1', 'v2'] as const) {
  const full = createFrameDecoder({ wire, decompressor: undefined, maxFrameBytes })
  const options = { wire, decompressor: undefined, maxFrameBytes, unread: collections }
  const quick = createFrameDecoder(options)
  const frameOf = (event: LoggedEmission) =>
    wire === 'v1' ? frameV1(event, true)! : frameV2(event)

  test(`${wire}: unread commits equal parsed ones, even for hostile JSON`, () => {
    const random = createRandom(SEED)
    const stream = createNetworkStream({ seed: SEED, accounts: 40, startMs: 1_770_000_000_000 })
    const waiting: [UnreadCommit, CommitEvent][] = []
    let unreadCount = 0
    for (let i = 0; i < FRAMES; i++) {
      const frame = hostileFrame(frameOf(stream.next() as LoggedEmission), random, 0.6)
      const expected = full.decode(frame, false)
      const decoded = quick.decode(frame, false)
      if (typeof decoded === 'string' || 'notice' in decoded || decoded.kind !== 'unread') {
        expect(decoded, `seed ${SEED}, frame ${i}: ${frame}`).toEqual(expected)
        continue
      }
      unreadCount++
      expect(expected, `seed ${SEED}, frame ${i}: ${frame}`).toMatchObject({ kind: 'commit' })
      // Checked only after many others, as commits wait in their batch.
      waiting.push([decoded, expected as CommitEvent])
      if (waiting.length < 1000) continue
      for (const [unread, event] of waiting.splice(0)) expectSame(unread, event)
    }
    for (const [unread, event] of waiting) expectSame(unread, event)
    expect(unreadCount).toBeGreaterThan(FRAMES / 4)
  })

  test(`${wire}: nearly every honest commit stays unread`, () => {
    const stream = createNetworkStream({ seed: SEED, accounts: 1000, startMs: 1_770_000_000_000 })
    const events = stream.take(2000).filter(({ kind }) => kind === 'commit')
    const unread = events.filter((event) => {
      const decoded = quick.decode(Buffer.from(frameOf(event as LoggedEmission)), false)
      return typeof decoded === 'object' && 'kind' in decoded && decoded.kind === 'unread'
    })
    expect(unread.length).toBeGreaterThan(events.length * 0.97)
  })
}

test('a large frame among small ones stays intact while it waits', () => {
  const quick = createFrameDecoder({
    wire: 'v2',
    decompressor: undefined,
    maxFrameBytes,
    unread: collections,
  })
  const sizes = [1, 300_000, 1, 200_000, 100_000, 1]
  const texts = sizes.map((size) => {
    const record = { text: 'é'.repeat(size), at: 'at://did:plc:aaaabbbbccccddddeeeeffff/x' }
    const id = { collection: 'app.bsky.feed.post', rkey: '3k2a4b5c6d7e2', rev: '3k2a4b5c6d7e2' }
    const event = { did: didOf(size), timeUs: 1_770_000_000_000_000, seq: size, ...id }
    return frameV2({ ...event, operation: 'create', cid: cidOf(size), record })
  })
  const decoded = texts.map((text) => quick.decode(Buffer.from(text), false) as UnreadCommit)
  for (const [i, unread] of decoded.entries()) {
    expect(unread.kind).toBe('unread')
    expect(accountsSeenIn(unread)).toEqual(new Set(['did:plc:aaaabbbbccccddddeeeeffff']))
    const { record } = unread.read() as WriteEvent
    expect((record['text'] as string).length).toBe(sizes[i])
  }
})
