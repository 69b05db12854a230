// The time to process a record grows no faster than the record, whatever a stranger writes into it: every
// text of every collection is filled with the worst texts, every list with as many entries as fit. Covers the
// way from the frame to the answers that show the record.

import { type LexiconDoc, Lexicons } from '@atproto/lexicon'
import { createFrameDecoder, type WriteEvent } from '@slipstream/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Collection, collections } from '../../src/base/atproto/collections.ts'
import documents from '../../src/base/atproto/lexicons/record-lexicons.json' with { type: 'json' }
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { isValidRecord } from '../../src/ingest/indexing/validation/validate.ts'
import { superlinear } from '../support/cpu-growth.ts'
import {
  type Position,
  positionsIn,
  sampleDid,
  sampleList,
  samplePost,
  samplesOf,
  withValue,
} from '../support/lexicon-samples.ts'
import { cidOf, tidAt } from '../support/records.ts'
import { searchable } from '../support/searching.ts'
import { createServingWorld, type Query, type ServingWorld } from '../support/serving-world.ts'
import { worstOf } from '../support/worst-texts.ts'

const SIZE = 96_000
const TIMEOUT_MS = 600_000
const lexicons = new Lexicons(documents as unknown as LexiconDoc[])
const decoder = createFrameDecoder({
  wire: 'v2',
  decompressor: undefined,
  maxFrameBytes: 4 << 20,
})

let world: ServingWorld

beforeAll(() => {
  world = createServingWorld({ trustedVerifiers: [sampleDid] })
  const alice = world.account('alice')
  for (const did of [alice, sampleDid]) {
    world.member(did)
    world.profile(did)
    world.handle(did, did === alice ? 'alice.test' : 'sample.test')
  }
  world.follow(alice, sampleDid)
  put('app.bsky.feed.post', { text: 'hello' }, samplePost)
  put('app.bsky.graph.list', { name: 'a list', purpose: 'app.bsky.graph.defs#modlist' }, sampleList)
})
afterAll(() => world.dispose())

function put(collection: string, record: JsonObject, uri: string) {
  const createdAt = world.isoNow()
  world.create(sampleDid, collection, { createdAt, ...record }, uri.split('/').at(-1))
}

const ownKeys: Partial<Record<Collection, string>> = {
  'app.bsky.actor.profile': 'self',
  'app.bsky.actor.status': 'self',
  'app.bsky.labeler.service': 'self',
  'app.bsky.notification.declaration': 'self',
  'chat.bsky.actor.declaration': 'self',
  'com.germnetwork.declaration': 'self',
  'app.bsky.feed.threadgate': samplePost.split('/').at(-1)!,
  'app.bsky.feed.postgate': samplePost.split('/').at(-1)!,
}

function eventOf(collection: Collection, record: JsonObject): WriteEvent | undefined {
  const timeUs = world.tick()
  const payload = {
    $type: 'network.bsky.jetstream.subscribeEvents#commit',
    did: sampleDid,
    seq: timeUs,
    time: new Date(timeUs / 1000).toISOString(),
    rev: tidAt(timeUs, 1),
    operation: 'update',
    collection,
    rkey: ownKeys[collection] ?? tidAt(timeUs),
    cid: cidOf([timeUs]),
    record,
  }
  const frame = Buffer.from(JSON.stringify({ $type: 'message', payload }))
  const decoded = decoder.decode(frame, false)
  if (typeof decoded !== 'object' || !('kind' in decoded) || decoded.kind !== 'commit')
    return undefined
  return decoded.operation === 'delete' ? undefined : decoded
}

const answers: Partial<Record<Collection, (uri: string) => [string, Query]>> = {
  'app.bsky.actor.profile': () => ['app.bsky.actor.getProfile', { actor: sampleDid }],
  'app.bsky.actor.status': () => ['app.bsky.actor.getProfile', { actor: sampleDid }],
  'app.bsky.feed.post': (uri) => ['app.bsky.feed.getPostThread', { uri }],
  'app.bsky.feed.threadgate': () => ['app.bsky.feed.getPostThread', { uri: samplePost }],
  'app.bsky.feed.postgate': () => ['app.bsky.feed.getPosts', { uris: [samplePost] }],
  'app.bsky.feed.generator': (feed) => ['app.bsky.feed.getFeedGenerators', { feeds: [feed] }],
  'app.bsky.graph.list': (list) => ['app.bsky.graph.getList', { list }],
  'app.bsky.graph.starterpack': (uri) => ['app.bsky.graph.getStarterPacks', { uris: [uri] }],
  'app.bsky.labeler.service': () => {
    return ['app.bsky.labeler.getServices', { dids: [sampleDid], detailed: true }]
  },
}

/** Takes a record from the socket to the rows, the search index and an answer. */
async function take(collection: Collection, record: JsonObject): Promise<void> {
  const event = eventOf(collection, record)
  if (!event) return
  const isTaken = isValidRecord(collection, event.record)
  world.apply([event])
  if (!isTaken) return
  searchable(world)
  const answer = answers[collection]?.(`at://${sampleDid}/${collection}/${event.rkey}`)
  if (answer) await world.ask(...answer, world.account('alice'))
}

/** Returns each place once, in the first sample that has it. */
function positionsOf(collection: Collection): [JsonObject, Position][] {
  const positions = new Map<string, [JsonObject, Position]>()
  for (const sample of samplesOf(lexicons, collection) as JsonObject[]) {
    for (const position of positionsIn(sample)) {
      if (!positions.has(position.kind)) positions.set(position.kind, [sample, position])
    }
  }
  return [...positions.values()]
}

test.each(collections)('%s', { timeout: TIMEOUT_MS }, async (collection) => {
  const found: string[] = []
  for (const [sample, position] of positionsOf(collection)) {
    expect(isValidRecord(collection, sample)).toBe(true)
    for (const [name, make] of worstOf(position.value)) {
      const work = (size: number) => take(collection, withValue(sample, position, make(size)))
      const slow = await superlinear(work, SIZE)
      if (slow) found.push(`${position.kind}, ${name}: ${slow}`)
    }
  }
  expect(found).toEqual([])
})
