// An endless, seeded stream of events like the public one: its mix, shapes and sizes (as measured in
// ../shared/reference/measurements.md: about 550 bytes of JSON per event), a power law for actors and for
// liked posts, and likes that go mostly to young posts. Identifiers are computed by arithmetic instead of
// hashing, so that tens of millions of events can be generated in reasonable time.

import type { StreamEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../../src/base/util/json-object.ts'
import { createRandom, type Random } from './random.ts'
import { tidAt } from './records.ts'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const WORDS =
  'the a of and to in is it that for on with as this was be at by not are from or have an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too little good world make very year still see own work men day get here old life both between being under three never know same last another while us might great go come since against right came take used himself few house'.split(
    ' ',
  )
const TAILS = [
  '',
  '',
  '',
  '',
  '!',
  '?',
  ' 🙂',
  ' ❤️',
  '…',
  ' こんにちは世界、今日はいい天気',
  ' ça alors',
]
const RECENT_POSTS = 1 << 17
const RECENT_WRITES = 4096
const STEP_US = 1600

export type NetworkStream = {
  didOf(account: number): string
  next(): StreamEvent
  take(count: number): StreamEvent[]
  /** One follow record. */
  follow(creator: number, subject: number): StreamEvent
}

type Post = { uri: string; cid: string }
type Written = { did: string; collection: string; rkey: string }

/** Shared by the acts of a stream. */
type Dependencies = { random: Random; someone: () => string; writer: EventWriter }

export function createNetworkStream(options: {
  seed: number
  accounts: number
  startMs: number
}): NetworkStream {
  const { seed, accounts, startMs } = options
  const random = createRandom(seed)
  const someone = () => didOf(anyAccount(random, accounts))
  const parts: Dependencies = { random, someone, writer: new EventWriter(random, someone, startMs) }
  const next = () => act(parts)
  return {
    didOf,
    next,
    take: (count) => Array.from({ length: count }, next),
    follow: (creator, subject) =>
      parts.writer.write(didOf(creator), 'app.bsky.graph.follow', { subject: didOf(subject) }),
  }
}

/** Writes events one after the other, and remembers the records that later ones refer to. */
class EventWriter {
  readonly #random: Random
  readonly #someone: () => string
  readonly #posts: Post[] = []
  readonly #written: Written[] = []
  #postCount = 0
  #timeUs: number
  #seq = 4_000_000_000

  constructor(random: Random, someone: () => string, startMs: number) {
    this.#random = random
    this.#someone = someone
    this.#timeUs = startMs * 1000
  }

  hasWritten(): boolean {
    return this.#written.length > 0
  }

  /** Nearly always a post of this stream, younger ones more likely; sometimes an old one. */
  somePost(): Post {
    const posts = this.#posts
    if (posts.length === 0 || this.#random.chance(0.1)) return this.#oldPost()
    return posts[(this.#postCount - 1 - this.#random.zipf(posts.length)) % RECENT_POSTS]!
  }

  #oldPost(): Post {
    const random = this.#random
    const rkey = tidAt(this.#timeUs - random.below(2e12), random.below(1024))
    return { uri: `at://${this.#someone()}/app.bsky.feed.post/${rkey}`, cid: cidOf(random) }
  }

  /** The place of the next event. */
  head(): { timeUs: number; seq: number } {
    this.#timeUs += this.#random.below(2 * STEP_US)
    return { timeUs: this.#timeUs, seq: ++this.#seq }
  }

  write(did: string, collection: string, fields: JsonObject, rkey?: string): StreamEvent {
    const random = this.#random
    const head = this.head()
    const key = rkey ?? tidAt(head.timeUs - random.below(900_000), random.below(1024))
    const createdAt = new Date(head.timeUs / 1000 - random.below(900)).toISOString()
    const cid = cidOf(random)
    this.#remember({ did, collection, rkey: key }, cid, rkey !== undefined)
    return {
      ...head,
      kind: 'commit',
      did,
      operation: rkey ? 'update' : 'create',
      rev: tidAt(head.timeUs, random.below(1024)),
      collection,
      rkey: key,
      cid,
      record: { $type: collection, createdAt, ...fields },
    }
  }

  /** Records under a fixed key are never deleted. */
  #remember(written: Written, cid: string, isFixed: boolean): void {
    const { did, collection, rkey } = written
    if (collection === 'app.bsky.feed.post') {
      const uri = `at://${did}/${collection}/${rkey}`
      this.#posts[this.#postCount++ % RECENT_POSTS] = { uri, cid }
    }
    const { length } = this.#written
    const slot = length < RECENT_WRITES ? length : this.#random.below(RECENT_WRITES)
    if (!isFixed) this.#written[slot] = written
  }

  deletion(): StreamEvent {
    const written = this.#random.pick(this.#written)
    const head = this.head()
    const rev = tidAt(head.timeUs, this.#random.below(1024))
    return { ...head, kind: 'commit', operation: 'delete', rev, ...written }
  }
}

function act(parts: Dependencies): StreamEvent {
  const { random, someone, writer } = parts
  const dice = random.next()
  if (dice < 0.62) return react(parts, 'app.bsky.feed.like')
  if (dice < 0.73) return writer.write(someone(), 'app.bsky.feed.post', postFields(parts))
  if (dice < 0.82) return react(parts, 'app.bsky.feed.repost')
  if (dice < 0.9) return writer.write(someone(), 'app.bsky.graph.follow', { subject: someone() })
  if (dice < 0.915) return writer.write(someone(), 'app.bsky.graph.block', { subject: someone() })
  if (dice < 0.96) return writer.hasWritten() ? writer.deletion() : act(parts)
  if (dice < 0.97) return profile(parts)
  if (dice < 0.975) return listItem(parts)
  if (dice < 0.98) return threadgate(parts)
  return accountLevel(parts)
}

function react({ someone, writer }: Dependencies, collection: string): StreamEvent {
  return writer.write(someone(), collection, { subject: writer.somePost() })
}

function accountLevel({ random, someone, writer }: Dependencies): StreamEvent {
  const head = { ...writer.head(), did: someone() }
  if (random.chance(0.6))
    return { ...head, kind: 'identity', handle: `${head.did.slice(8, 20)}.test` }
  if (random.chance(0.9)) return { ...head, kind: 'account', active: true, status: undefined }
  return { ...head, kind: 'account', active: false, status: 'deactivated' }
}

function profile({ random, someone, writer }: Dependencies): StreamEvent {
  const fields = {
    displayName: words(random, 2),
    description: words(random, 5 + random.below(20)),
  }
  return writer.write(someone(), 'app.bsky.actor.profile', fields, 'self')
}

function threadgate({ writer }: Dependencies): StreamEvent {
  const post = writer.somePost().uri
  const [did, , rkey] = post.slice(5).split('/') as [string, string, string]
  const event = writer.write(did, 'app.bsky.feed.threadgate', { post, allow: [] }, rkey)
  return { ...event, operation: 'create' } as StreamEvent
}

function listItem({ random, someone, writer }: Dependencies): StreamEvent {
  const did = someone()
  const list = `at://${did}/app.bsky.graph.list/${tidAt(1.7e15 + random.below(50) * 1e9)}`
  return writer.write(did, 'app.bsky.graph.listitem', { list, subject: someone() })
}

/**
 * Low numbers act and are referred to more often: the first thousandth of all accounts makes up
 * a tenth of all activity, the first hundredth a fifth.
 */
export function anyAccount(random: Random, accounts: number): number {
  return Math.floor(accounts * random.next() ** 3)
}

function postFields({ random, writer }: Dependencies): JsonObject {
  const text = words(random, 2 + random.below(30)) + random.pick(TAILS)
  const fields: JsonObject = { langs: [random.pick(['en', 'en', 'ja', 'pt', 'de'])], text }
  if (random.chance(0.49)) {
    const parent = writer.somePost()
    fields.reply = { parent, root: random.chance(0.5) ? parent : writer.somePost() }
  }
  const dice = random.next()
  if (dice < 0.08) fields.embed = { $type: 'app.bsky.embed.record', record: writer.somePost() }
  else if (dice < 0.25) fields.embed = images(random)
  else if (dice < 0.33) fields.embed = link(random)
  if (random.chance(0.12)) fields.facets = [facet(random)]
  return fields
}

function images(random: Random): JsonObject {
  const image = {
    alt: random.chance(0.5) ? '' : words(random, 6),
    aspectRatio: { height: 1000 + random.below(1000), width: 1000 + random.below(1000) },
    image: blob(random),
  }
  return { $type: 'app.bsky.embed.images', images: [image] }
}

function link(random: Random): JsonObject {
  const uri = `https://www.example.org/${words(random, 3).replaceAll(' ', '-')}?a=1&b=2`
  const external = {
    description: words(random, 12),
    thumb: blob(random),
    title: words(random, 6),
    uri,
  }
  return { $type: 'app.bsky.embed.external', external }
}

function facet(random: Random): JsonObject {
  const tag = { $type: 'app.bsky.richtext.facet#tag', tag: random.pick(WORDS) }
  return { features: [tag], index: { byteEnd: 4, byteStart: 0 } }
}

function blob(random: Random): JsonObject {
  const $link = cidOf(random).replace('bafyrei', 'bafkrei')
  return { $type: 'blob', ref: { $link }, mimeType: 'image/jpeg', size: random.below(1_000_000) }
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}

/** A well-formed CID that belongs to no record. */
function cidOf(random: Random): string {
  return `bafyrei${BASE32[random.below(8)]}${letters(random, 50)}a`
}

function letters(random: Random, count: number): string {
  let text = ''
  for (let i = 0; i < count; i += 5) {
    let bits = random.below(2 ** 25)
    for (let j = 0; j < 5; j++, bits >>>= 5) text += BASE32[bits & 31]
  }
  return text
}

/** The did:plc of account number `n`: scattered, but deterministic. */
export function didOf(n: number): string {
  let did = 'did:plc:'
  let state = (n + 1) | 0
  for (let word = 0; word < 4; word++) {
    state = (state + 0x9e3779b9) | 0
    let bits = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    bits ^= bits >>> 15
    for (let j = 0; j < 6; j++, bits >>>= 5) did += BASE32[bits & 31]
  }
  return did
}
