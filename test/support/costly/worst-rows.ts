// Rows at which readers have most to do: lists as long as they get, of accounts that most viewers must not see,
// thousands of items of one millisecond, long threads and wide ones, texts and records of the largest size.
// All come as events of the stream, so that the rows are those that ingest makes of them.

import type { WriteEvent } from '@slipstream/jetstream'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { blobOf, didOf } from '../records.ts'
import { type Acts, crowd, type RecordId } from './acts.ts'

/** By what they are in the requests. */
export type Cast = {
  actors: string[]
  posts: string[]
  /** Posts of the largest size. */
  large: string[]
  lists: string[]
  /** MEMBER's, which hardly anyone on them posts to. */
  ownLists: string[]
  feeds: string[]
  packs: string[]
  /** Ordinary posts, as many as a call may name. */
  many: string[]
  /** How many there are of what there may be most of. */
  rows: number
}

export type Part = { acts: Acts; cast: Cast; rows: number }

/** A member that blocks, follows, mutes and is told of as much as possible, and the one whose page is polled. */
export const MEMBER = didOf('costly member')
export const POLLER = didOf('costly poller')
export const WHALE = didOf('costly whale')
export const HERMIT = didOf('costly hermit')
export const PROLIFIC = didOf('costly prolific')
export const LABELER = didOf('costly labeler')
export const COLLECTOR = didOf('costly collector')
/** Members: COLLECTOR is told of likes by accounts that it does not follow. */
export const MEMBERS = [MEMBER, POLLER, WHALE, HERMIT, COLLECTOR]
const LISTER = didOf('costly lister')
const VERBOSE = didOf('costly verbose')

const MOST_EVENTS = 1_000
const TAGS = 200
const MOST_MERGED = 16
const MOST_NAMED = 10_000

export function* worstEvents(part: Part): Generator<WriteEvent> {
  const { acts } = part
  for (const step of steps) {
    for (const _ of step(part)) if (acts.isAtLeast(MOST_EVENTS)) yield* acts.take()
    yield* acts.take()
  }
}

type Step = (part: Part) => Generator<undefined>

const steps: readonly Step[] = [
  profiles,
  polledPage,
  blocks,
  longLists,
  ownLists,
  tiedAuthors,
  prolificAuthor,
  popularPost,
  longThread,
  wideThread,
  collections,
  verboseAuthor,
  notifications,
  likesOfBlockers,
  repetitions,
  subscriptions,
  largePacks,
]

function* profiles({ acts, cast, rows }: Part): Generator<undefined> {
  const named = { MEMBER, POLLER, WHALE, HERMIT, PROLIFIC, LABELER, COLLECTOR, LISTER, VERBOSE }
  for (const [displayName, did] of Object.entries(named)) {
    acts.create(did, 'app.bsky.actor.profile', { displayName, description: displayName }, 'self')
    cast.actors.push(did)
  }
  acts.create(LABELER, 'app.bsky.labeler.service', { policies: { labelValues: ['spam'] } }, 'self')
  for (let i = 0; i < rows / 2; i++) {
    // Visitors see nothing of every fifth.
    const values = [{ val: '!no-unauthenticated' }]
    const labels = { $type: 'com.atproto.label.defs#selfLabels', values }
    const withheld = i % 5 === 0 ? { labels } : {}
    const profile = { displayName: `Crowd ${i}`, description: 'one of many', ...withheld }
    acts.create(crowd(i), 'app.bsky.actor.profile', profile, 'self')
    yield
  }
  cast.actors.push(crowd(0), crowd(1), didOf('tied 0'))
}

/** What the warm page shows: ordinary posts of accounts that nothing else is about. */
function* polledPage({ acts }: Part): Generator<undefined> {
  for (let i = 0; i < 100; i++) {
    const friend = didOf(`friend ${i}`)
    acts.create(friend, 'app.bsky.actor.profile', { displayName: `Friend ${i}` }, 'self')
    acts.follow(POLLER, friend)
    for (let n = 0; n < 5; n++) acts.post(friend, `the ${n}th of friend ${i}`)
    yield
  }
}

/** HERMIT blocks whom it follows; MEMBER blocks one half and is blocked by the other. */
function* blocks({ acts, rows }: Part): Generator<undefined> {
  for (let i = 0; i < rows; i++) {
    acts.block(HERMIT, crowd(i))
    if (i % 2 === 0) acts.block(MEMBER, crowd(i))
    else acts.block(crowd(i), MEMBER)
    yield
  }
}

function* longLists({ acts, cast, rows }: Part): Generator<undefined> {
  const silent = acts.list(LISTER, 'silent')
  const withheld = acts.list(LISTER, 'withheld')
  cast.lists.push(silent.uri, withheld.uri)
  for (let i = 0; i < rows; i++) {
    acts.item(LISTER, silent, crowd(rows - i))
    if (i % 5 === 0 && i < rows / 2) acts.item(LISTER, withheld, crowd(i))
    if (i % 5 === 0 && i < rows / 2)
      for (let n = 0; n < 3; n++) acts.post(crowd(i), `withheld ${i}`)
    yield
  }
  const many = Math.max(3, Math.floor(rows / 1_000))
  for (let n = 0; n < many; n++) {
    const list = acts.list(LISTER, `against ${n}`, 'modlist')
    if (n === 0) cast.lists.push(list.uri)
    acts.create(MEMBER, 'app.bsky.graph.listblock', { subject: list.uri })
    for (let i = 0; i < rows / 50; i++) {
      acts.item(LISTER, list, crowd((i * 7 + n) % rows))
      yield
    }
  }
}

/** As many as a merge may have. */
function* ownLists({ acts, cast, rows }: Part): Generator<undefined> {
  for (let n = 0; n < MOST_MERGED; n++) {
    const list = acts.list(MEMBER, `mine ${n}`)
    cast.ownLists.push(list.uri)
    for (let i = 0; i < rows / 10; i++) {
      acts.item(MEMBER, list, crowd((i * 3 + n) % rows))
      yield
    }
  }
}

/** A hundred accounts, each with many posts of one millisecond. */
function* tiedAuthors({ acts, cast, rows }: Part): Generator<undefined> {
  const list = acts.list(LISTER, 'tied')
  cast.lists.push(list.uri)
  const createdAt = acts.isoNow()
  for (let i = 0; i < 100; i++) {
    const did = didOf(`tied ${i}`)
    acts.item(LISTER, list, did)
    for (let n = 0; n < rows / 100; n++) {
      acts.post(did, `tied ${n}`, { createdAt })
      yield
    }
  }
}

/** As many posts and reposts as there are, hardly any with a picture. */
function* prolificAuthor({ acts, cast, rows }: Part): Generator<undefined> {
  let last: RecordId | undefined
  for (let i = 0; i < rows; i++) {
    const tags = { tags: [`tag${i % TAGS}`] }
    // Every other is a reply, which filters leave out.
    const reply = last && i % 2 === 1 ? { reply: { root: last, parent: last } } : {}
    const post = acts.post(PROLIFIC, `post ${i} of many words`, { ...tags, ...reply })
    if (i % 2 === 0) last = post
    if (i === 0) cast.posts.push(post.uri)
    if (cast.many.length < MOST_NAMED) cast.many.push(post.uri)
    if (i % 3 === 0) acts.repost(PROLIFIC, post)
    yield
  }
}

/** Everything there may be about one post, by accounts that MEMBER blocks or is blocked by. */
function* popularPost({ acts, cast, rows }: Part): Generator<undefined> {
  const post = acts.post(WHALE, 'popular')
  const createdAt = acts.isoNow()
  cast.posts.push(post.uri)
  for (let i = 0; i < rows; i++) {
    const did = crowd(i)
    // All at one moment, as they claim.
    acts.create(did, 'app.bsky.feed.like', { subject: post, createdAt })
    acts.repost(did, post)
    acts.post(did, `quote ${i}`, { embed: { $type: 'app.bsky.embed.record', record: post } })
    if (i % 5 === 0) acts.post(did, `reply ${i}`, { reply: { root: post, parent: post } })
    yield
  }
}

/** The owner's own line, and one of two accounts in turns, a thousand posts deep. */
function* longThread({ acts, cast, rows }: Part): Generator<undefined> {
  const depth = Math.min(rows, 5_000)
  for (const others of [WHALE, PROLIFIC]) {
    const root = acts.post(WHALE, 'long')
    let parent = root
    for (let i = 0; i < depth; i++) {
      parent = acts.post(i % 2 === 0 ? WHALE : others, `step ${i}`, { reply: { root, parent } })
      if (i === depth >> 1) cast.posts.push(parent.uri)
      yield
    }
    cast.posts.push(root.uri, parent.uri)
  }
}

/** Replies to replies to replies, and a gate with as many hidden replies as it may have. */
function* wideThread({ acts, cast, rows }: Part): Generator<undefined> {
  const root = acts.post(WHALE, 'wide')
  cast.posts.push(root.uri)
  const hidden: string[] = []
  let layer = [root]
  for (let depth = 0, made = 0; depth < 4; depth++) {
    const next: RecordId[] = []
    for (const parent of layer) {
      const width = depth === 0 ? 500 : 10
      for (let i = 0; i < width && made < rows / 2; i++, made++) {
        next.push(acts.post(crowd(made), `wide ${made}`, { reply: { root, parent } }))
        yield
      }
    }
    if (depth === 0) hidden.push(...next.slice(0, 300).map(({ uri }) => uri))
    layer = next
  }
  const gate = { post: root.uri, hiddenReplies: hidden, allow: [] }
  acts.create(WHALE, 'app.bsky.feed.threadgate', gate, root.uri.split('/').at(-1))
}

/** Lists, feeds and starter packs by the thousand, of one account that is on all of them. */
function* collections({ acts, cast, rows }: Part): Generator<undefined> {
  const many = Math.max(20, Math.floor(rows / 50))
  for (let n = 0; n < many; n++) {
    for (const did of [COLLECTOR, MEMBER]) {
      const list = acts.list(did, `list ${n}`, n % 2 === 0 ? 'curatelist' : 'modlist')
      acts.item(did, list, WHALE)
      const of = acts.list(did, `of pack ${n}`, 'referencelist')
      for (let i = 0; i < 50; i++) acts.item(did, of, crowd((n + i) % rows))
      const feed = { did: didOf('costly generator'), displayName: `feed ${n}` }
      const made = acts.create(did, 'app.bsky.feed.generator', feed)
      const pack = { name: `pack ${n}`, list: of.uri, feeds: [{ uri: made.uri }] }
      const packed = acts.create(did, 'app.bsky.graph.starterpack', pack)
      if (did === COLLECTOR && n < 100) {
        cast.feeds.push(made.uri)
        cast.packs.push(packed.uri)
      }
      if (did === COLLECTOR && n === 0)
        for (let i = 0; i < rows; i++) {
          acts.like(crowd(i), made)
          yield
        }
      yield
    }
  }
}

const MOST_LARGE = 100
const PICTURES = 4
const FACETS = 100
const LONG = 300

/** Posts as large as they may be. */
function* verboseAuthor({ acts, cast, rows }: Part): Generator<undefined> {
  for (let i = 0; i < Math.max(200, rows / 100); i++) {
    const { uri } = acts.post(VERBOSE, 'wörter '.repeat(LONG / 7), largeParts(i))
    if (i === 0) cast.posts.push(uri)
    if (cast.large.length < MOST_LARGE) cast.large.push(uri)
    yield
  }
}

function largeParts(i: number): JsonObject {
  const images = Array.from({ length: PICTURES }, (_, n) => ({
    image: blobOf(`picture ${i} ${n}`),
    alt: 'alt '.repeat(2_000),
  }))
  const facets = Array.from({ length: FACETS }, (_, n) => ({
    index: { byteStart: n, byteEnd: n + 1 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did: crowd(i * FACETS + n) }],
  }))
  return { embed: { $type: 'app.bsky.embed.images', images }, facets, langs: ['en', 'de', 'fr'] }
}

/** MEMBER hears of accounts that it blocks, and of those that block it. */
function* notifications({ acts, cast, rows }: Part): Generator<undefined> {
  const post = acts.post(MEMBER, 'mine')
  cast.posts.push(post.uri)
  for (let i = 0; i < rows; i++) {
    acts.like(crowd(i), post)
    if (i % 4 === 0) acts.follow(crowd(i), MEMBER)
    if (i % 4 === 1) acts.post(crowd(i), 'answer', { reply: { root: post, parent: post } })
    yield
  }
}

/** MEMBER likes, as do the accounts that block it. */
function* likesOfBlockers({ acts, rows }: Part): Generator<undefined> {
  for (let i = 0; i < rows; i++) {
    const post = acts.post(crowd(i), `liked ${i}`)
    acts.like(MEMBER, post)
    acts.like(WHALE, post)
    acts.repost(MEMBER, post)
    yield
  }
}

/** The same record again and again: lists show an account once. */
function* repetitions({ acts, cast, rows }: Part): Generator<undefined> {
  const post = acts.post(WHALE, 'liked again and again')
  const list = acts.list(LISTER, 'the same account')
  cast.posts.push(post.uri)
  cast.lists.push(list.uri)
  for (let i = 0; i < 50; i++) {
    acts.item(LISTER, list, crowd(i))
    acts.like(crowd(i), post)
  }
  for (let i = 0; i < rows / 4; i++) {
    acts.item(LISTER, list, WHALE)
    acts.like(VERBOSE, post)
    acts.repost(VERBOSE, post)
    acts.follow(VERBOSE, HERMIT)
    yield
  }
}

/** Lists without end: MEMBER and a hundred others subscribe to them, WHALE is on them. */
function* subscriptions({ acts, rows }: Part): Generator<undefined> {
  const lists: RecordId[] = []
  for (let i = 0; i < Math.min(10_000, rows / 5); i++) {
    const list = acts.list(crowd(i), `modlist ${i}`, 'modlist')
    acts.item(crowd(i), list, WHALE)
    acts.create(MEMBER, 'app.bsky.graph.listblock', { subject: list.uri })
    lists.push(list)
    yield
  }
  for (let i = 0; i < 100; i++) {
    for (const { uri } of lists.slice(0, rows / 100)) {
      acts.create(crowd(i), 'app.bsky.graph.listblock', { subject: uri })
      yield
    }
  }
}

/** Packs whose lists are as long as lists get. */
function* largePacks({ acts, cast, rows }: Part): Generator<undefined> {
  for (let n = 0; n < 10; n++) {
    const list = acts.list(WHALE, `large ${n}`, 'referencelist')
    for (let i = 0; i < rows / 5; i++) {
      acts.item(WHALE, list, crowd((i + n) % rows))
      yield
    }
    const pack = { name: `large pack ${n}`, list: list.uri }
    cast.packs.unshift(acts.create(WHALE, 'app.bsky.graph.starterpack', pack).uri)
    if (n === 0) cast.lists.push(list.uri)
  }
}
