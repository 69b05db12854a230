// A seeded random history of a handful of accounts: they post, reply, quote, like, follow, change and delete
// records, twice or before they exist, and accounts are deactivated, deleted and restored.

import type { StreamEvent } from '../../src/base/event.ts'
import type { Random } from './random.ts'
import type { RecordId, World } from './world.ts'

type Made = RecordId & { did: string; collection: string }

/** Up to `count` events; none of them is applied to the world. */
export function randomHistory(world: World, random: Random, count: number): StreamEvent[] {
  const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
  const made: Made[] = []
  const lists = new Map<string, RecordId>()

  function remember(did: string, collection: string, id: RecordId): void {
    made.push({ ...id, did, collection })
  }

  function somePost(): RecordId | undefined {
    const posts = made.filter(({ collection }) => collection === 'app.bsky.feed.post').slice(-40)
    return posts.length > 0 ? idOf(random.pick(posts)) : undefined
  }

  function createdAt(): string {
    const offset = random.chance(0.1) ? 3_600_000 : random.chance(0.2) ? -86_400_000 : 0
    return new Date(world.now() + offset + 1).toISOString()
  }

  const acts: [number, (did: string) => void][] = [
    [20, (did) => remember(did, 'app.bsky.feed.post', world.post(did, { createdAt: createdAt() }))],
    [12, reply],
    [5, quote],
    [25, (did) => react(did, 'like')],
    [14, (did) => react(did, 'repost')],
    [16, (did) => relate(did, 'follow')],
    [5, (did) => relate(did, 'block')],
    [3, (did) => void world.profile(did, { displayName: `name ${random.below(1000)}` })],
    [4, listSomebody],
    [4, update],
    [16, remove],
    [2, (did) => void world.identity(did)],
    [1.2, changeStatus],
  ]

  function reply(did: string): void {
    const parent = somePost()
    if (!parent) return
    const post = world.post(did, { reply: { parent }, createdAt: createdAt() })
    remember(did, 'app.bsky.feed.post', post)
  }

  function quote(did: string): void {
    const quoted = somePost()
    if (quoted) remember(did, 'app.bsky.feed.post', world.post(did, { quote: quoted }))
  }

  function react(did: string, kind: 'like' | 'repost'): void {
    const subject = somePost()
    if (!subject) return
    const record = { subject, createdAt: createdAt() }
    remember(did, `app.bsky.feed.${kind}`, world.create(did, `app.bsky.feed.${kind}`, record))
  }

  function relate(did: string, kind: 'follow' | 'block'): void {
    const subject = random.pick(people)
    remember(did, `app.bsky.graph.${kind}`, world[kind](did, subject))
  }

  function listSomebody(did: string): void {
    const list = lists.get(did) ?? world.list(did, 'a list')
    lists.set(did, list)
    const item = world.listItem(did, list, random.pick(people))
    remember(did, 'app.bsky.graph.listitem', item)
  }

  /** Replaces the record at an existing key: another text or another subject. */
  function update(): void {
    const one = made.length > 0 ? random.pick(made.slice(-60)) : undefined
    if (!one) return
    const { did, collection } = one
    const rkey = one.uri.split('/').at(-1)!
    const post = somePost()
    if (!post) return
    const record = {
      createdAt: createdAt(),
      ...(collection === 'app.bsky.feed.post' && { text: `edited ${random.below(1e6)}` }),
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
    made.push({ ...one, cid: id.cid })
  }

  function remove(): void {
    if (made.length === 0) return
    const [one] = made.splice(random.below(made.length), 1)
    world.delete(one!)
    // Sometimes deletes a record again, or one that never existed.
    if (random.chance(0.1)) world.delete(one!)
    if (random.chance(0.1)) world.delete(`${one!.uri.slice(0, -4)}2222`)
  }

  function changeStatus(did: string): void {
    const status = random.pick(['deactivated', 'deleted', 'takendown', 'throttled'] as const)
    world.status(did, status)
    if (random.chance(0.7)) world.status(did)
  }

  const total = acts.reduce((sum, [weight]) => sum + weight, 0)
  function actOnce(): void {
    let at = random.next() * total
    const act = acts.find(([weight]) => {
      at -= weight
      return at < 0
    })
    act?.[1](random.pick(people))
  }

  return world.hold(() => {
    for (let i = 0; i < count; i++) actOnce()
  })
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
