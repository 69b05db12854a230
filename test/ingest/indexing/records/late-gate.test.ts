// Replies fetched before their thread's gate: they are judged again when it arrives, as if they had followed
// it; replies from before the gate was created stay as they were.

import { afterEach, describe, expect, test } from 'vitest'
import { VIOLATES_THREADGATE } from '../../../../src/data/store/posts/post-flags.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

let world: World
afterEach(() => world.dispose())

function start() {
  world = createWorld({ scope: 'network' })
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => world.account(name)) as [
    string,
    string,
    string,
  ]
  const root = world.post(alice, 'root')
  return { alice, bob, carol, root }
}

function violates({ uri }: RecordId): boolean {
  const [, , did, , rkey] = uri.split('/') as [string, string, string, string, string]
  const uid = world.uid(did)
  const flags = world.db
    .prepare<[number], { rkey: Buffer | string; flags: number }>(
      'SELECT rkey, flags FROM posts WHERE uid = ? ORDER BY id DESC',
    )
    .all(uid)
  const keys = world.sent.filter(
    (event) => event.kind === 'commit' && event.did === did && event.rkey === rkey,
  )
  expect(keys).toHaveLength(1)
  return (flags[0]!.flags & VIOLATES_THREADGATE) !== 0
}

function repliesOf({ uri }: RecordId): number {
  const uid = world.uid(uri.split('/')[2]!)
  return world.db
    .prepare<[number], number>(
      'SELECT c.replies FROM post_counts c JOIN posts p ON p.id = c.post WHERE p.uid = ? ORDER BY p.id',
    )
    .pluck()
    .get(uid)!
}

function lateGate(root: RecordId, createdAt: string, allow: object[] = []): void {
  const record = { $type: 'app.bsky.feed.threadgate', post: root.uri, allow, createdAt }
  const uri = root.uri.replace('feed.post/', 'feed.threadgate/')
  world.fetched({ uri, record: record as never })
}

describe('a gate that arrives late', () => {
  test('judges replies written after its creation, and updates the count', () => {
    const { bob, root } = start()
    const gatedAt = world.isoNow()
    world.tick(2)
    const reply = world.post(bob, { reply: { parent: root } })
    expect([violates(reply), repliesOf(root)]).toEqual([false, 1])
    lateGate(root, gatedAt)
    expect([violates(reply), repliesOf(root)]).toEqual([true, 0])
  })

  test('judges replies to replies', () => {
    const { bob, carol, root } = start()
    const first = world.post(bob, { reply: { parent: root } })
    const gatedAt = world.isoNow()
    world.tick(2)
    const second = world.post(carol, { reply: { parent: first, root } })
    lateGate(root, gatedAt)
    expect([violates(first), violates(second)]).toEqual([false, true])
    expect([repliesOf(root), repliesOf(first)]).toEqual([1, 0])
  })

  test('admits accounts it allows, and its owner', () => {
    const { alice, bob, carol, root } = start()
    world.follow(alice, bob)
    const gatedAt = world.isoNow()
    world.tick(2)
    const replies = [alice, bob, carol].map((did) => world.post(did, { reply: { parent: root } }))
    lateGate(root, gatedAt, [{ $type: 'app.bsky.feed.threadgate#followingRule' }])
    expect(replies.map(violates)).toEqual([false, false, true])
    expect(repliesOf(root)).toBe(2)
  })

  test('leaves earlier replies alone, as does one that arrives in time', () => {
    const { bob, carol, root } = start()
    const before = world.post(bob, { reply: { parent: root } })
    world.threadgate(root, [])
    const after = world.post(carol, { reply: { parent: root } })
    expect([violates(before), violates(after), repliesOf(root)]).toEqual([false, true, 1])
  })

  test('changes nothing when delivered again or updated later', () => {
    const { bob, root } = start()
    const gate = world.threadgate(root, undefined)
    const createdAt = world.isoNow()
    const reply = world.post(bob, { reply: { parent: root } })
    const rkey = gate.uri.split('/').at(-1)!
    const record = { post: root.uri, allow: [], createdAt }
    const did = gate.uri.split('/')[2]!
    const collection = 'app.bsky.feed.threadgate'
    world.write({ did, collection, rkey, record, operation: 'update' })
    expect([violates(reply), repliesOf(root)]).toEqual([false, 1])
  })
})
