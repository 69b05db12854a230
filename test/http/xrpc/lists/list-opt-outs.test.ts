// An account that opted out of a reference list is on it for the list's owner only, who sees it marked; on
// other lists an opt-out has no effect.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import type { RecordId } from '../../../support/world.ts'

const OPT_OUT = 'app.bsky.graph.referencelistoptout'
const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]

type Item = { subject: { did: string }; subjectOptedOut?: boolean }
type List = {
  list: { listItemCount: number; viewer?: { referenceListOptOut?: string } }
  items: Item[]
  cursor?: string
}
type Pack = { starterPack: { listItemsSample: Item[] } }

let w: ServingWorld
let list: RecordId
let pack: RecordId
let optOut: RecordId
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice', 'bob', 'dan'] })
  for (const did of [alice, bob, carol, dan]) w.profile(did)
  list = listOf('referencelist')
  pack = w.create(alice, 'app.bsky.graph.starterpack', { name: 'friends', list: list.uri })
  optOut = optOutOf(list)
  w.post(bob, 'by bob')
  w.post(carol, 'by carol')
})
afterEach(() => w.dispose())

/** Creates a list of alice's, with bob and then carol on it. */
function listOf(purpose: string): RecordId {
  const made = w.create(alice, 'app.bsky.graph.list', {
    name: purpose,
    purpose: `app.bsky.graph.defs#${purpose}`,
  })
  for (const subject of [bob, carol])
    w.create(alice, 'app.bsky.graph.listitem', { list: made.uri, subject })
  return made
}

const optOutOf = ({ uri }: RecordId) => w.create(bob, OPT_OUT, { subject: uri })

const read = (viewer?: string, query = {}, { uri } = list) =>
  w.ask<List>('app.bsky.graph.getList', { list: uri, ...query }, viewer).then(({ body }) => body)
const membersOf = ({ items }: Pick<List, 'items'>) =>
  items.map(({ subject, subjectOptedOut }) => [subject.did, subjectOptedOut])
const feed = async (viewer: string, { uri } = list) =>
  JSON.stringify((await w.ask('app.bsky.feed.getListFeed', { list: uri }, viewer)).body)

test('getList leaves them out for all but the owner, on full pages, but counts them', async () => {
  const owners = await read(alice)
  expect(membersOf(owners)).toEqual([
    [carol, undefined],
    [bob, true],
  ])
  for (const viewer of [dan, undefined]) {
    const theirs = await read(viewer)
    expect(membersOf(theirs)).toEqual([[carol, undefined]])
    expect(theirs.list.listItemCount).toBe(2)
    expect(await read(viewer, { limit: 1 })).not.toHaveProperty('cursor')
  }
  expect((await read(bob)).list.viewer?.referenceListOptOut).toBe(optOut.uri)
  expect((await read(dan)).list.viewer?.referenceListOptOut).toBeUndefined()
})

test('the list’s feed leaves out their posts for every viewer', async () => {
  for (const viewer of [alice, dan]) {
    expect(await feed(viewer)).toContain('by carol')
    expect(await feed(viewer)).not.toContain('by bob')
  }
})

test('a starter pack’s sample includes them for the owner only', async () => {
  const sampleFor = async (viewer: string) => {
    const query = { starterPack: pack.uri }
    const { body } = await w.ask<Pack>('app.bsky.graph.getStarterPack', query, viewer)
    return membersOf({ items: body.starterPack.listItemsSample }).sort()
  }
  expect(await sampleFor(dan)).toEqual([[carol, undefined]])
  expect(await sampleFor(alice)).toEqual(
    [
      [bob, true],
      [carol, undefined],
    ].sort(),
  )
})

test('an opt-out has no effect on other kinds of lists', async () => {
  for (const purpose of ['curatelist', 'modlist']) {
    const other = listOf(purpose)
    optOutOf(other)
    expect(membersOf(await read(dan, {}, other)).map(([did]) => did)).toContain(bob)
    expect((await read(bob, {}, other)).list.viewer?.referenceListOptOut).toBeUndefined()
    expect(await feed(dan, other)).toContain('by bob')
  }
})

test('an opt-out ends with its record, unless there is another', async () => {
  const second = optOutOf(list)
  w.delete(optOut.uri)
  expect(membersOf(await read(dan))).toEqual([[carol, undefined]])
  expect((await read(bob)).list.viewer?.referenceListOptOut).toBe(second.uri)
  w.delete(second.uri)
  expect(membersOf(await read(dan)).map(([did]) => did)).toEqual([carol, bob])
  expect(await feed(dan)).toContain('by bob')
})

test('a stranger’s opt-out is kept if the list’s owner is known', async () => {
  w.dispose()
  w = createServingWorld({ members: ['alice'] })
  list = listOf('referencelist')
  optOutOf(list)
  expect(membersOf(await read(alice))).toContainEqual([bob, true])
})
