// An endless, seeded stream of events like the public one: its mix, shapes and sizes (as measured in
// ../shared/reference/measurements.md: about 550 bytes of JSON per event), a power law for actors and for
// liked posts, and likes that go mostly to young posts. Identifiers are computed by arithmetic instead of
// hashing, so that tens of millions of events can be generated in reasonable time.

import type { JsonObject, StreamEvent } from '../../src/base/event.ts'
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

export function createNetworkStream(options: {
  seed: number
  accounts: number
  startMs: number
}): NetworkStream {
  const { seed, accounts } = options
  const random = createRandom(seed)
  const posts: Post[] = []
  const written: Written[] = []
  let postCount = 0
  let timeUs = options.startMs * 1000
  let seq = 4_000_000_000

  const someone = () => didOf(anyAccount(random, accounts))

  /** Nearly always a post of this stream, younger ones more likely; sometimes an old one. */
  function somePost(): Post {
    if (posts.length === 0 || random.chance(0.1)) return oldPost()
    return posts[(postCount - 1 - random.zipf(posts.length)) % RECENT_POSTS]!
  }

  function oldPost(): Post {
    const rkey = tidAt(timeUs - random.below(2e12), random.below(1024))
    return { uri: `at://${someone()}/app.bsky.feed.post/${rkey}`, cid: cidOf(random) }
  }

  function base() {
    timeUs += random.below(2 * STEP_US)
    return { timeUs, seq: ++seq }
  }

  function write(did: string, collection: string, fields: JsonObject, rkey?: string): StreamEvent {
    const head = base()
    const key = rkey ?? tidAt(head.timeUs - random.below(900_000), random.below(1024))
    const createdAt = new Date(head.timeUs / 1000 - random.below(900)).toISOString()
    const cid = cidOf(random)
    if (collection === 'app.bsky.feed.post') {
      posts[postCount++ % RECENT_POSTS] = { uri: `at://${did}/${collection}/${key}`, cid }
    }
    const slot = written.length < RECENT_WRITES ? written.length : random.below(RECENT_WRITES)
    if (!rkey) written[slot] = { did, collection, rkey: key }
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

  function deletion(): StreamEvent {
    const one = random.pick(written)
    const head = base()
    const rev = tidAt(head.timeUs, random.below(1024))
    return { ...head, kind: 'commit', operation: 'delete', rev, ...one }
  }

  function accountLevel(): StreamEvent {
    const head = { ...base(), did: someone() }
    if (random.chance(0.6))
      return { ...head, kind: 'identity', handle: `${head.did.slice(8, 20)}.test` }
    if (random.chance(0.9)) return { ...head, kind: 'account', active: true, status: undefined }
    return { ...head, kind: 'account', active: false, status: 'deactivated' }
  }

  function profile(): StreamEvent {
    const fields = {
      displayName: words(random, 2),
      description: words(random, 5 + random.below(20)),
    }
    return write(someone(), 'app.bsky.actor.profile', fields, 'self')
  }

  function threadgate(): StreamEvent {
    const [did, collection, rkey] = somePost().uri.slice(5).split('/') as [string, string, string]
    const fields = { post: `at://${did}/${collection}/${rkey}`, allow: [] }
    return {
      ...write(did, 'app.bsky.feed.threadgate', fields, rkey),
      operation: 'create',
    } as StreamEvent
  }

  function listItem(): StreamEvent {
    const did = someone()
    const list = `at://${did}/app.bsky.graph.list/${tidAt(1.7e15 + random.below(50) * 1e9)}`
    return write(did, 'app.bsky.graph.listitem', { list, subject: someone() })
  }

  function next(): StreamEvent {
    const dice = random.next()
    if (dice < 0.62) return write(someone(), 'app.bsky.feed.like', { subject: somePost() })
    if (dice < 0.73) return write(someone(), 'app.bsky.feed.post', postFields(random, somePost))
    if (dice < 0.82) return write(someone(), 'app.bsky.feed.repost', { subject: somePost() })
    if (dice < 0.9) return write(someone(), 'app.bsky.graph.follow', { subject: someone() })
    if (dice < 0.915) return write(someone(), 'app.bsky.graph.block', { subject: someone() })
    if (dice < 0.96) return written.length > 0 ? deletion() : next()
    if (dice < 0.97) return profile()
    if (dice < 0.975) return listItem()
    if (dice < 0.98) return threadgate()
    return accountLevel()
  }

  return {
    didOf,
    next,
    take: (count) => Array.from({ length: count }, next),
    follow: (creator, subject) =>
      write(didOf(creator), 'app.bsky.graph.follow', { subject: didOf(subject) }),
  }
}

/**
 * Low numbers act and are referred to more often: the first thousandth of all accounts makes up
 * a tenth of all activity, the first hundredth a fifth.
 */
export function anyAccount(random: Random, accounts: number): number {
  return Math.floor(accounts * random.next() ** 3)
}

function postFields(random: Random, somePost: () => Post): JsonObject {
  const text = words(random, 2 + random.below(30)) + random.pick(TAILS)
  const fields: JsonObject = { langs: [random.pick(['en', 'en', 'ja', 'pt', 'de'])], text }
  if (random.chance(0.49)) {
    const parent = somePost()
    fields.reply = { parent, root: random.chance(0.5) ? parent : somePost() }
  }
  const dice = random.next()
  if (dice < 0.08) fields.embed = { $type: 'app.bsky.embed.record', record: somePost() }
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
