// A small version of the public stream, for its disk usage: events of all accounts in the real mix (62%
// likes, 11% posts, 8% reposts, 7% follows, blocks, deletions), with clocks as measured: clients write
// `createdAt` a second before or after their server assigns the record key, events reach us half a second to
// two seconds later, and servers use few clock ids. Texts consist of 4,000 invented words, short ones more
// often, so that dictionaries made for real languages do not help.

import type { StreamEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { blobOf, didOf, tidAt } from '../../test/support/records.ts'
import { quickCid } from './quick-cid.ts'

export type NetworkStream = {
  events(count: number): Generator<StreamEvent>
  /** Total bytes of JSON of all post records so far, and their number. */
  readonly posts: { bytes: number; count: number }
  /** Number of blocks that were not deleted. */
  blocks(): number
}

type Post = { uri: string; cid: string; root: Ref }
type Ref = { uri: string; cid: string }
type Made = { did: string; collection: string; rkey: string }

const START_US = Date.parse('2026-09-01T00:00:00.000Z') * 1000
const RECENT_POSTS = 50_000
const RECENT_ACTIONS = 20_000
const VOCABULARY = 4_000
const POST = 'app.bsky.feed.post'
const BLOCK = 'app.bsky.graph.block'

export function createNetworkStream(accounts: number, stepUs: number, seed = 1): NetworkStream {
  const random = createRandom(seed)
  const dids = Array.from({ length: accounts }, (_, i) => didOf(`disk account ${i}`))
  const words = Array.from({ length: VOCABULARY }, () => word(random))
  const recent: Post[] = []
  const { create, remove } = createWriter(random, stepUs)
  const posts = { bytes: 0, count: 0 }
  let blocks = 0

  /** Half of all acts are by a few accounts, the rest by any. */
  const someone = () => dids[random.chance(0.5) ? random.zipf(accounts) : random.below(accounts)]!
  const somePost = () => recent[recent.length - 1 - random.zipf(recent.length)]!

  function post(): StreamEvent {
    const did = someone()
    const other = recent.length > 0 && random.chance(0.55) ? somePost() : undefined
    const event = create(did, POST, postRecord(random, words, { other, someone }))
    const ref = { uri: `at://${did}/${POST}/${event.rkey}`, cid: event.cid }
    const root = 'reply' in event.record && other ? other.root : ref
    if (recent.push({ ...ref, root }) > RECENT_POSTS) recent.splice(0, RECENT_POSTS / 2)
    posts.bytes += Buffer.byteLength(JSON.stringify(event.record))
    posts.count++
    return event
  }

  function next(): StreamEvent | undefined {
    const dice = random.next()
    if (recent.length < 10 || dice < 0.11) return post()
    if (dice < 0.73) return create(someone(), 'app.bsky.feed.like', { subject: refOf(somePost()) })
    if (dice < 0.81)
      return create(someone(), 'app.bsky.feed.repost', { subject: refOf(somePost()) })
    const subject = () => dids[random.zipf(accounts)]!
    if (dice < 0.92) return create(someone(), 'app.bsky.graph.follow', { subject: subject() })
    if (dice < 0.95) {
      blocks++
      return create(someone(), BLOCK, { subject: someone() })
    }
    const removed = remove()
    if (removed?.collection === BLOCK) blocks--
    return removed
  }

  return {
    posts,
    blocks: () => blocks,
    *events(count) {
      for (let made = 0; made < count; ) {
        const event = next()
        if (!event) continue
        made++
        yield event
      }
    },
  }
}

/** Writes records, and deletes some of those written lately. */
function createWriter(random: Random, stepUs: number) {
  const actions: (Made | undefined)[] = []
  let timeUs = START_US

  function create(did: string, collection: string, record: JsonObject) {
    timeUs += Math.floor(random.next() * 2 * stepUs)
    const rkey = tidAt(timeUs, random.below(32))
    const createdAt = new Date(timeUs / 1000 + (random.next() + random.next() - 1.2) * 1000)
    actions[random.below(RECENT_ACTIONS)] = { did, collection, rkey }
    return {
      kind: 'commit',
      did,
      timeUs: timeUs + 500_000 + random.below(1_000_000),
      seq: undefined,
      operation: 'create',
      rev: tidAt(timeUs + 1000, random.below(32)),
      collection,
      rkey,
      cid: quickCid(did, rkey),
      record: { $type: collection, ...record, createdAt: createdAt.toISOString() },
    } as const
  }

  function remove() {
    const position = random.below(RECENT_ACTIONS)
    const action = actions[position]
    if (!action) return undefined
    actions[position] = undefined
    timeUs += stepUs
    const rev = tidAt(timeUs, 1)
    return { kind: 'commit', ...action, timeUs, seq: undefined, operation: 'delete', rev } as const
  }

  return { create, remove }
}

function refOf({ uri, cid }: Post): Ref {
  return { uri, cid }
}

/** With keys in the alphabetical order that the official client's server produces. */
function postRecord(
  random: Random,
  words: string[],
  { other, someone }: { other: Post | undefined; someone: () => string },
): JsonObject {
  const record: JsonObject = {}
  const isReply = other !== undefined && random.chance(0.8)
  if (other && !isReply) record['embed'] = { $type: 'app.bsky.embed.record', record: refOf(other) }
  else if (random.chance(0.2)) record['embed'] = pictures(random, words)
  else if (random.chance(0.12)) record['embed'] = link(random, words)
  if (random.chance(0.15)) record['facets'] = [facet(random, someone())]
  record['langs'] = [random.pick(['en', 'en', 'en', 'ja', 'pt', 'de'])]
  if (other && isReply) record['reply'] = { parent: refOf(other), root: other.root }
  record['text'] = sentence(random, words, 1 + random.below(45)).slice(0, 290)
  return record
}

function pictures(random: Random, words: string[]): JsonObject {
  const images = Array.from({ length: 1 + random.below(3) }, () => ({
    alt: random.chance(0.3) ? sentence(random, words, 12) : '',
    aspectRatio: { height: 1000 + random.below(1000), width: 1000 + random.below(1000) },
    image: blobOf(`picture ${random.next()}`, 'image/jpeg', 100_000 + random.below(800_000)),
  }))
  return { $type: 'app.bsky.embed.images', images }
}

function link(random: Random, words: string[]): JsonObject {
  const external = {
    description: sentence(random, words, 5 + random.below(30)),
    thumb: blobOf(`thumb ${random.next()}`, 'image/jpeg', 100_000 + random.below(800_000)),
    title: sentence(random, words, 8),
    uri: `https://${random.pick(words)}.example/${random.pick(words)}/${random.pick(words)}-${random.below(99_999)}`,
  }
  return { $type: 'app.bsky.embed.external', external }
}

function facet(random: Random, did: string): JsonObject {
  const feature = random.chance(0.5)
    ? { $type: 'app.bsky.richtext.facet#mention', did }
    : { $type: 'app.bsky.richtext.facet#link', uri: `https://example.com/${random.below(99_999)}` }
  return {
    features: [feature],
    index: { byteEnd: 20 + random.below(50), byteStart: random.below(20) },
  }
}

function sentence(random: Random, words: string[], length: number): string {
  return Array.from({ length }, () => words[random.zipf(words.length)]!).join(' ')
}

function word(random: Random): string {
  const syllables = 1 + random.below(4)
  const syllable = () => random.pick([...'bcdfghjklmnprstvwz']) + random.pick([...'aeiou'])
  return Array.from({ length: syllables }, syllable).join('')
}
