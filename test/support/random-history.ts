// A seeded random history of a handful of accounts: they post, reply, quote, like, follow, change and delete
// records, twice or before they exist, and accounts are deactivated, deleted and restored.

import type { StreamEvent } from '@slipstream/jetstream'
import type { Random } from './random.ts'
import type { RecordId, World } from './world.ts'

type Made = RecordId & { did: string; collection: string }

type History = {
  world: World
  random: Random
  people: readonly string[]
  /** Records to refer to, to change or to remove, oldest first. */
  made: Made[]
  /** The one list of each account that has any. */
  lists: Map<string, RecordId>
}

const POST = 'app.bsky.feed.post'

/** Acts of an account, each with its weight in the draw. */
const ACTS: readonly (readonly [weight: number, act: (history: History, did: string) => void])[] = [
  [20, post],
  [12, reply],
  [5, quote],
  [25, (history, did) => react(history, did, 'like')],
  [14, (history, did) => react(history, did, 'repost')],
  [16, (history, did) => relate(history, did, 'follow')],
  [5, (history, did) => relate(history, did, 'block')],
  [3, rename],
  [4, listSomebody],
  [4, update],
  [16, remove],
  [2, ({ world }, did) => world.identity(did)],
  [1.2, changeStatus],
]
const TOTAL_WEIGHT = ACTS.reduce((sum, [weight]) => sum + weight, 0)

/** Up to `count` events; none of them is applied to the world. */
export function randomHistory(world: World, random: Random, count: number): StreamEvent[] {
  const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
  const history: History = { world, random, people, made: [], lists: new Map() }
  return world.hold(() => {
    for (let i = 0; i < count; i++) actOnce(history)
  })
}

function actOnce(history: History): void {
  const { random, people } = history
  let at = random.next() * TOTAL_WEIGHT
  const act = ACTS.find(([weight]) => {
    at -= weight
    return at < 0
  })
  act?.[1](history, random.pick(people))
}

function remember({ made }: History, did: string, collection: string, id: RecordId): void {
  made.push({ ...id, did, collection })
}

function somePost({ random, made }: History): RecordId | undefined {
  const posts = made.filter(({ collection }) => collection === POST).slice(-40)
  return posts.length > 0 ? idOf(random.pick(posts)) : undefined
}

function createdAt({ world, random }: History): string {
  const offset = random.chance(0.1) ? 3_600_000 : random.chance(0.2) ? -86_400_000 : 0
  return new Date(world.now() + offset + 1).toISOString()
}

function post(history: History, did: string): void {
  remember(history, did, POST, history.world.post(did, { createdAt: createdAt(history) }))
}

function reply(history: History, did: string): void {
  const parent = somePost(history)
  if (!parent) return
  const input = { reply: { parent }, createdAt: createdAt(history) }
  remember(history, did, POST, history.world.post(did, input))
}

function quote(history: History, did: string): void {
  const quoted = somePost(history)
  if (quoted) remember(history, did, POST, history.world.post(did, { quote: quoted }))
}

function react(history: History, did: string, kind: 'like' | 'repost'): void {
  const subject = somePost(history)
  if (!subject) return
  const collection = `app.bsky.feed.${kind}`
  const record = { subject, createdAt: createdAt(history) }
  remember(history, did, collection, history.world.create(did, collection, record))
}

function relate(history: History, did: string, kind: 'follow' | 'block'): void {
  const subject = history.random.pick(history.people)
  remember(history, did, `app.bsky.graph.${kind}`, history.world[kind](did, subject))
}

function rename({ world, random }: History, did: string): void {
  world.profile(did, { displayName: `name ${random.below(1000)}` })
}

function listSomebody(history: History, did: string): void {
  const { world, random, people, lists } = history
  const list = lists.get(did) ?? world.list(did, 'a list')
  lists.set(did, list)
  const item = world.listItem(did, list, random.pick(people))
  remember(history, did, 'app.bsky.graph.listitem', item)
}

/** Replaces the record at an existing key: another text or another subject. */
function update(history: History): void {
  const { world, random, people, made, lists } = history
  const item = made.length > 0 ? random.pick(made.slice(-60)) : undefined
  if (!item) return
  const { did, collection } = item
  const rkey = item.uri.split('/').at(-1)!
  const post = somePost(history)
  if (!post) return
  const record = {
    createdAt: createdAt(history),
    ...(collection === POST && { text: `edited ${random.below(1e6)}` }),
    ...(collection.endsWith('like') && { subject: post }),
    ...(collection.endsWith('repost') && { subject: post }),
    ...(collection.endsWith('follow') && { subject: random.pick(people) }),
    ...(collection.endsWith('block') && { subject: random.pick(people) }),
    ...(collection.endsWith('listitem') && {
      subject: random.pick(people),
      list: lists.get(did)!.uri,
    }),
  }
  const id = world.write({ did, collection, record, rkey, operation: 'update' })
  made.push({ ...item, cid: id.cid })
}

function remove({ world, random, made }: History): void {
  if (made.length === 0) return
  const [item] = made.splice(random.below(made.length), 1)
  world.delete(item!)
  // Sometimes deletes a record again, or one that never existed.
  if (random.chance(0.1)) world.delete(item!)
  if (random.chance(0.1)) world.delete(`${item!.uri.slice(0, -4)}2222`)
}

function changeStatus({ world, random }: History, did: string): void {
  const status = random.pick(['deactivated', 'deleted', 'takendown', 'throttled'] as const)
  world.status(did, status)
  if (random.chance(0.7)) world.status(did)
}

function idOf({ uri, cid }: RecordId): RecordId {
  return { uri, cid }
}

/**
 * The same events as an unreliable stream may deliver them: neighbours swapped, and late
 * duplicates. An account event keeps its place among the events of its account.
 */
export function unreliably(events: StreamEvent[], random: Random): StreamEvent[] {
  const delivered: StreamEvent[] = []
  const window: StreamEvent[] = []
  const flush = () => {
    while (window.length > 0) delivered.push(...window.splice(random.below(window.length), 1))
  }
  for (const event of events) {
    if (event.kind === 'account') {
      flush()
      delivered.push(event)
      continue
    }
    window.push(event)
    if (window.length > 12) flush()
    if (delivered.length > 0 && random.chance(0.15)) {
      window.push(delivered[Math.max(0, delivered.length - 1 - random.below(400))]!)
      if (window.at(-1)!.kind === 'account') window.pop()
    }
  }
  flush()
  return delivered
}

/**
 * The same events from two sources, each in order. One misses early commits, the other late ones, and which of them is
 * ahead changes: so a deletion may come before what it deletes, and only once.
 */
export function fromTwoSources(events: readonly StreamEvent[], random: Random): StreamEvent[] {
  const begin = random.below(events.length / 2)
  const end = events.length - random.below(events.length / 2)
  const sources = [
    events.filter(({ kind }, i) => kind === 'account' || i >= begin),
    events.filter(({ kind }, i) => kind === 'account' || i < end),
  ]
  const delivered: StreamEvent[] = []
  while (sources.some((source) => source.length > 0)) {
    const count = random.chance(0.3) ? events.length : 1 + random.below(30)
    delivered.push(...random.pick(sources).splice(0, count))
  }
  return delivered
}
