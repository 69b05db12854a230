// The likes that For You hears are the same whether an event was parsed or only its bytes were read, on both wires;
// what is no like of a post is none.

import type { StreamItem } from '@slipstream/jetstream'
import { createFrameDecoder } from '@slipstream/jetstream'
import { expect, test } from 'vitest'
import { collections } from '../../../src/base/atproto/collections.ts'
import { likeIn } from '../../../src/features/for-you/listening.ts'
import { uriOf } from '../../../src/features/for-you/post-keys.ts'
import { frameV1, frameV2, type LoggedEmission } from '../../support/jetstream-double/emission.ts'
import { createNetworkStream } from '../../support/network-stream.ts'
import { cidOf, didOf, tidAt } from '../../support/records.ts'

const maxFrameBytes = 1_000_000
const POST = `at://${didOf('author')}/app.bsky.feed.post/${tidAt(1_790_000_000_000_000)}`

function decoders(wire: 'v1' | 'v2') {
  const decompressor = undefined
  return [[], collections].map((unread) =>
    createFrameDecoder({ wire, decompressor, maxFrameBytes, unread }),
  )
}

function frameOf(wire: 'v1' | 'v2', event: LoggedEmission): Buffer | undefined {
  const text = wire === 'v1' ? frameV1(event, false) : frameV2(event)
  return text === undefined ? undefined : Buffer.from(text)
}

function heard(item: unknown) {
  const like = typeof item === 'object' ? likeIn(item as StreamItem) : undefined
  return like && { by: [...like.liker], post: uriOf(like.post), timeUs: like.timeUs }
}

const likeOf = (record: object, collection = 'app.bsky.feed.like'): LoggedEmission => {
  const full = { $type: collection, createdAt: '2026-11-01T00:00:00.000Z', ...record }
  return {
    did: didOf('liker'),
    operation: 'create',
    collection,
    rkey: tidAt(1_790_000_100_000_000),
    record: full,
    cid: cidOf(full),
    seq: 7,
    rev: tidAt(1_790_000_100_000_001),
    timeUs: 1_790_000_100_000_002,
  } as LoggedEmission
}

test.each(['v1', 'v2'] as const)('bytes say what events say (%s)', (wire) => {
  const [parsing, reading] = decoders(wire)
  const stream = createNetworkStream({ seed: 5, accounts: 200, startMs: 1_770_000_000_000 })
  let likes = 0
  for (let i = 0; i < 3000; i++) {
    const frame = frameOf(wire, stream.next() as LoggedEmission)
    if (!frame) continue
    const fromEvent = heard(parsing!.decode(frame, false))
    expect(heard(reading!.decode(frame, false))).toEqual(fromEvent)
    if (fromEvent) likes++
  }
  expect(likes).toBeGreaterThan(100)
})

test.each(['v1', 'v2'] as const)('what is no like of a post is none (%s)', (wire) => {
  const read = (event: LoggedEmission) =>
    decoders(wire).map((decoder) => heard(decoder.decode(frameOf(wire, event)!, false))?.post)
  const subject = { uri: POST, cid: cidOf('x') }
  expect(read(likeOf({ subject }))).toEqual([POST, POST])
  const via = { uri: POST.replace('feed.post', 'feed.repost'), cid: cidOf('y') }
  expect(read(likeOf({ via, subject }))).toEqual([POST, POST])
  const others = [
    likeOf({ subject: { ...subject, uri: POST.replace('feed.post', 'feed.generator') } }),
    likeOf({ subject: { ...subject, uri: POST.slice(0, -2) } }),
    likeOf({ subject: { ...subject, uri: `${POST}x` } }),
    likeOf({ subject: { ...subject, uri: POST.replace(/[^/]*$/, '2222222222222') } }),
    likeOf({ subject }, 'app.bsky.feed.repost'),
  ]
  for (const other of others) expect(read(other)).toEqual([undefined, undefined])
})
