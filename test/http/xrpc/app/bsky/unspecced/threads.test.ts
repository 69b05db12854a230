// Threads through the server: giant ones stay bounded and still show what matters, anchors are found by
// handle, missing posts are requested, and changes show at once although answers are cached.

import { afterEach, describe, expect, test } from 'vitest'
import { applyLabels } from '../../../../../../src/ingest/indexing/moderation/label.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld } from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const V2 = 'app.bsky.unspecced.getPostThreadV2'
const OTHER = 'app.bsky.unspecced.getPostThreadOtherV2'
const QUOTES = 'app.bsky.feed.getQuotes'
const V1 = 'app.bsky.feed.getPostThread'

type Item = {
  uri: string
  depth: number
  value: { $type: string; post?: { record: { text: string }; author: { did: string } } }
}
type Thread = { thread: Item[]; hasOtherReplies: boolean }

let w: ReturnType<typeof createServingWorld>
afterEach(() => w.dispose())

function start() {
  w = createServingWorld({ scope: 'network', members: ['alice'] })
  const people = ['alice', 'bob', 'carol'].map((name) => w.account(name))
  for (const did of people) w.profile(did)
  const [alice, bob, carol] = people as [string, string, string]
  return { alice, bob, carol }
}

const textsOf = ({ thread }: { thread: Item[] }) =>
  thread.map(({ value }) => value.post?.record.text ?? value.$type.split('#')[1])

/** Adds many replies by strangers, in one batch. */
function crowd(parent: RecordId, root: RecordId, count: number): void {
  const events = w.hold(() => {
    for (let i = 0; i < count; i++) {
      w.post(w.account(`stranger-${i % 50}`), { text: `crowd ${i}`, reply: { parent, root } })
    }
  })
  for (let i = 0; i < events.length; i += 500) w.apply(events.slice(i, i + 500))
}

describe('a giant thread', () => {
  test('is bounded, and shows the first or last replies, the owner’s and the viewer’s own', async () => {
    const { alice, bob } = start()
    const root = w.post(bob, 'root')
    crowd(root, root, 700)
    w.post(alice, { text: 'mine', reply: { parent: root } })
    w.post(bob, { text: 'the owner’s', reply: { parent: root } })
    crowd(root, root, 700)
    const read = async (sort: string) =>
      textsOf(await w.get<Thread>(V2, { anchor: root.uri, sort }, alice))
    const oldest = await read('oldest')
    expect(oldest.slice(0, 4)).toEqual(['root', 'the owner’s', 'mine', 'crowd 0'])
    const newest = await read('newest')
    expect(newest.slice(0, 4)).toEqual(['root', 'the owner’s', 'mine', 'crowd 699'])
    for (const texts of [oldest, newest]) {
      expect(texts.length).toBeGreaterThan(1_000)
      expect(texts.length).toBeLessThan(1_010)
    }
  })

  test('shows the most liked replies when sorted by top', async () => {
    const { alice, bob, carol } = start()
    const root = w.post(bob, 'root')
    const liked = w.post(carol, { text: 'liked', reply: { parent: root } })
    crowd(root, root, 1_200)
    w.like(alice, liked)
    const { thread } = await w.get<Thread>(V2, { anchor: root.uri, sort: 'top' }, alice)
    expect(thread[1]?.uri).toBe(liked.uri)
  })

  test('is also cut further down, and one branch does not starve its neighbours', async () => {
    const { alice, bob, carol } = start()
    const root = w.post(bob, 'root')
    const busy = w.post(carol, { text: 'busy', reply: { parent: root } })
    const quiet = w.post(carol, { text: 'quiet', reply: { parent: root } })
    crowd(busy, root, 900)
    w.post(alice, { text: 'in the quiet', reply: { parent: quiet, root } })
    const query = { anchor: root.uri, branchingFactor: 3, sort: 'oldest' }
    const texts = textsOf(await w.get<Thread>(V2, query))
    const visible = ['busy', 'crowd 0', 'crowd 1', 'crowd 2', 'quiet', 'in the quiet']
    expect(texts).toEqual(['root', ...visible])
  })

  test('in version 1 is bounded too, however deep', async () => {
    const { alice, bob } = start()
    const root = w.post(bob, 'root')
    let parent = root
    const events = w.hold(() => {
      for (let i = 0; i < 1_200; i++) {
        parent = w.post(alice, { text: `${i}`, reply: { parent, root } })
      }
    })
    w.apply(events)
    type Nested = { replies?: Nested[]; parent?: Nested }
    const down = await w.get<{ thread: Nested }>(V1, { uri: root.uri, depth: 1_000 })
    let depth = 0
    for (let at: Nested | undefined = down.thread; at?.replies?.[0]; at = at.replies[0]) depth++
    expect(depth).toBe(1_000)
    const up = await w.get<{ thread: Nested }>(V1, { uri: parent.uri, parentHeight: 1_000 })
    let height = 0
    for (let at: Nested | undefined = up.thread; at?.parent; at = at.parent) height++
    expect(height).toBe(1_000)
  })
})

describe('an anchor', () => {
  test('may be named by handle', async () => {
    const { alice } = start()
    const root = w.post(alice, 'root')
    w.handle(alice, 'alice.test')
    const anchor = root.uri.replace(alice, 'alice.test')
    const { thread } = await w.get<Thread>(V2, { anchor })
    expect(thread[0]?.uri).toBe(root.uri)
  })

  test('that is unknown here is not found, and requested', async () => {
    const { alice, bob } = start()
    const uri = `at://${bob}/app.bsky.feed.post/3kunknown2222`
    expect(textsOf(await w.get<Thread>(V2, { anchor: uri }, alice))).toEqual(['threadItemNotFound'])
    expect(w.sent).toContainEqual({ kind: 'fetch-requested', did: alice, uris: [uri], dids: [] })
    const { status, body } = await w.ask(V1, { uri }, alice)
    expect([status, body['error']]).toEqual([400, 'NotFound'])
    expect((await w.get<Thread>(OTHER, { anchor: uri }, alice)).thread).toEqual([])
  })

  test('that is no post, or has no known author, is not found', async () => {
    const { bob } = start()
    for (const anchor of [`at://${bob}/app.bsky.graph.list/x`, 'at://nobody.test/a.b.c/x']) {
      expect(textsOf(await w.get<Thread>(V2, { anchor }))).toEqual(['threadItemNotFound'])
    }
    expect((await w.ask(V2, { anchor: 'rubbish' })).status).toBe(400)
  })

  test('in version 1 sends the rev of the viewer’s repository, on errors too', async () => {
    const { alice, bob } = start()
    const root = w.post(alice, 'root')
    for (const uri of [root.uri, `at://${bob}/app.bsky.feed.post/3kunknown2222`]) {
      const { headers } = await w.ask(V1, { uri }, alice)
      expect(headers.get('atproto-repo-rev')).toMatch(/^[2-7a-z]{13}$/)
    }
  })
})

test('a missing parent is requested, and shown once it arrives', async () => {
  const { alice, bob, carol } = start()
  const [event] = w.hold(() => w.post(bob, 'held back'))
  const held = event as unknown as { rkey: string; cid: string }
  const parent = { uri: `at://${bob}/app.bsky.feed.post/${held.rkey}`, cid: held.cid }
  const reply = w.post(carol, { text: 'reply', reply: { parent } })
  const read = async () => textsOf(await w.get<Thread>(V2, { anchor: reply.uri }, alice))
  expect(await read()).toEqual(['threadItemNotFound', 'reply'])
  expect(w.sent.flatMap((item) => (item.kind === 'fetch-requested' ? item.uris : []))).toContain(
    parent.uri,
  )
  w.apply([event!])
  expect(await read()).toEqual(['held back', 'reply'])
})

test('changes show at once: replies, likes, blocks, mutes, gates, deletions', async () => {
  const { alice, bob, carol } = start()
  const root = w.post(alice, 'root')
  const read = async (viewer?: string) =>
    textsOf(await w.get<Thread>(V2, { anchor: root.uri, sort: 'top' }, viewer))
  const others = async (viewer?: string) =>
    textsOf(await w.get<Thread>(OTHER, { anchor: root.uri }, viewer))
  expect(await read(alice)).toEqual(['root'])
  const first = w.post(bob, { text: 'bob', reply: { parent: root } })
  const second = w.post(carol, { text: 'carol', reply: { parent: root } })
  expect(await read(alice)).toEqual(['root', 'carol', 'bob'])
  w.like(carol, first)
  expect(await read(alice)).toEqual(['root', 'bob', 'carol'])
  w.follow(alice, carol)
  expect(await read(alice)).toEqual(['root', 'carol', 'bob'])
  w.mute(alice, bob)
  expect([await read(alice), await others(alice)]).toEqual([['root', 'carol'], ['bob']])
  expect([await read(), await others()]).toEqual([['root', 'bob', 'carol'], []])
  w.unmute(alice, bob)
  w.threadgate(root, undefined, { hiddenReplies: [first.uri] })
  expect([await read(), await others()]).toEqual([['root', 'carol'], ['bob']])
  expect(await read(bob)).toEqual(['root', 'bob', 'carol'])
  const block = w.block(carol, alice)
  expect(await read(alice)).toEqual(['root'])
  expect(await read()).toEqual(['root'])
  w.delete(block)
  w.delete(second)
  expect(await read(alice)).toEqual(['root'])
  w.delete(root)
  expect(await read(alice)).toEqual(['threadItemNotFound'])
})

describe('labels', () => {
  function label(labeler: string, uri: string, val: string): void {
    const cts = '2026-11-01T00:00:00.000Z'
    const record = { uri, val, cts, neg: false, cid: undefined, exp: undefined }
    w.run((ctx) => applyLabels(ctx, labeler, [record]))
  }

  function startLabelled() {
    const labeler = didOf('labeler')
    w = createServingWorld({ scope: 'network', members: ['alice'], labelers: [labeler] })
    const people = ['alice', 'bob', 'carol', 'labeler'].map((name) => w.account(name))
    for (const did of people) w.profile(did)
    const [alice, bob, carol] = people as [string, string, string]
    const root = w.post(bob, 'root')
    const reply = w.post(carol, { text: 'reply', reply: { parent: root } })
    const headers = { 'atproto-accept-labelers': `${labeler};redact` }
    const read = async (anchor: string, viewer?: string) =>
      textsOf((await w.ask<Thread>(V2, { anchor }, viewer, headers)).body)
    return { labeler, alice, bob, carol, root, reply, read, headers }
  }

  test('hide posts awaiting review from all but their creator and the creator’s followers', async () => {
    const { labeler, alice, carol, root, reply, read, headers } = startLabelled()
    label(labeler, reply.uri, 'needs-review')
    expect(await read(root.uri)).toEqual(['root'])
    expect(await read(root.uri, alice)).toEqual(['root'])
    expect(await read(root.uri, carol)).toEqual(['root', 'reply'])
    type Tree = { thread: { replies: object[] } }
    const v1 = await w.ask<Tree>(V1, { uri: root.uri }, alice, headers)
    expect(v1.body.thread.replies).toEqual([])
    w.follow(alice, carol)
    expect(await read(root.uri, alice)).toEqual(['root', 'reply'])
  })

  test('take down posts and accounts as if missing', async () => {
    const { labeler, bob, root, reply, read } = startLabelled()
    label(labeler, reply.uri, '!takedown')
    expect(await read(root.uri)).toEqual(['root'])
    expect(await read(reply.uri)).toEqual(['threadItemNotFound'])
    label(labeler, bob, '!takedown')
    expect(await read(root.uri)).toEqual(['threadItemNotFound'])
  })

  test('hide posts of some accounts from visitors', async () => {
    const { labeler, alice, bob, root, reply, read } = startLabelled()
    label(labeler, bob, '!no-unauthenticated')
    expect(await read(root.uri)).toEqual(['threadItemNoUnauthenticated'])
    expect(await read(reply.uri)).toEqual(['threadItemNoUnauthenticated', 'reply'])
    expect(await read(reply.uri, alice)).toEqual(['root', 'reply'])
  })

  test('hide quotes awaiting review', async () => {
    const { labeler, bob, carol, root, headers } = startLabelled()
    const quote = w.post(carol, { text: 'quote', quote: root })
    w.post(bob, { text: 'own quote', quote: root })
    label(labeler, quote.uri, 'needs-review')
    type Quotes = { posts: { record: { text: string } }[] }
    const read = async (viewer: string) => {
      const { body } = await w.ask<Quotes>(QUOTES, { uri: root.uri }, viewer, headers)
      return body.posts.map(({ record }) => record.text)
    }
    expect(await read(bob)).toEqual(['own quote'])
    expect(await read(carol)).toEqual(['own quote', 'quote'])
  })
})

test('exceeded limits and wrong parameters are refused', async () => {
  const { alice } = start()
  const { uri: anchor } = w.post(alice, 'root')
  for (const query of [
    { below: 21 },
    { below: -1 },
    { branchingFactor: 101 },
    { above: 'maybe' },
    { below: 'x' },
  ]) {
    expect((await w.ask(V2, { anchor, ...query })).status, JSON.stringify(query)).toBe(400)
  }
  expect((await w.ask(V2, {})).status).toBe(400)
  expect((await w.ask(V1, { uri: anchor, depth: 1_001 })).status).toBe(400)
  expect((await w.ask(V1, { uri: anchor, parentHeight: -1 })).status).toBe(400)
})
