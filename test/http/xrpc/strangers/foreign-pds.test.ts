// What members see of accounts on other servers than Bluesky's, and if their own repository is on one. The lists
// of these servers begin with the oldest, or with what was written last, and say little of the newest.

import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import { arroba, cocoon, inventions, pegasus } from '../../../support/foreign-pds.ts'
import { type ForeignWorld, put, startForeignWorld } from '../../../support/foreign-world.ts'
import { didOf } from '../../../support/records.ts'

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'
/** As if each had been written by a person: three a day. */
const EVERY_MS = DAY_MS / 3

let world: ForeignWorld

afterEach(() => world.close())

const softwares = [
  ['arroba', arroba()],
  ['arroba without getRepo', arroba({ hasNoFile: true })],
  ['cocoon', cocoon],
  ['pegasus', pegasus],
  ['a server without an order', inventions.scattered],
] as const

function numbers(prefix: string, all: string[]): number[] {
  return all.filter((text) => text.startsWith(prefix)).map((text) => Number(text.slice(1)))
}

test.each(softwares)(
  'the newest posts of an account on %s',
  async (_, software) => {
    world = await startForeignWorld({ timelineTarget: 300 })
    world.foreign.runs(software)
    const { startAt } = world
    const [member, plain, bridged] = [
      await world.person('member', world.home),
      await world.person('plain', world.home),
      await world.person('bridged', world.foreign),
    ]
    for (let i = 0; i < 1_500; i++) {
      const atMs = startAt - (1_500 - i) * EVERY_MS
      put(plain, POST, { text: `P${i}` }, atMs)
      put(bridged, POST, { text: `B${i}` }, atMs)
    }
    const edited = [...bridged.collections.get(POST)!.keys()][3]!
    const createdAt = new Date(startAt).toISOString()
    bridged.put({ collection: POST, rkey: edited, value: { text: 'B3', createdAt }, atMs: startAt })
    for (const subject of [plain, bridged]) put(member, FOLLOW, { subject: subject.did }, startAt)
    for (let i = 0; i < 1_300; i++) {
      put(bridged, FOLLOW, { subject: didOf(`followed${i}`) }, startAt - (1_300 - i) * EVERY_MS)
    }
    world.w.member(member.did)
    await world.settled()

    const newest = Array.from({ length: 100 }, (_, i) => 1_499 - i)
    const following = await world.timeline(member)
    expect(
      numbers('B', following)
        .filter((i) => i !== 3)
        .slice(0, 100),
    ).toEqual(newest)
    expect(numbers('P', following).slice(0, 100)).toEqual(newest)
    const feed = await world.authorFeed(bridged, member)
    expect(
      numbers('B', feed)
        .filter((i) => i !== 3)
        .slice(0, 100),
    ).toEqual(newest)
    const { followsCount } = await world.profile(bridged, member)
    expect(followsCount).toBe(1_300)
    expect(world.foreign.stats().requests).toBeLessThan(150)
  },
  120_000,
)

test.each(softwares)(
  'all follows and blocks of a member on %s',
  async (_, software) => {
    world = await startForeignWorld()
    world.foreign.runs(software)
    const { startAt } = world
    const member = await world.person('member', world.foreign)
    const newest = await world.person('newest', world.home)
    const blocked = await world.person('blocked', world.home)
    put(newest, POST, { text: 'N1' }, startAt - DAY_MS)
    put(blocked, POST, { text: 'X1' }, startAt - DAY_MS)
    for (let i = 0; i < 1_199; i++) {
      const atMs = startAt - (1_200 - i) * EVERY_MS
      put(member, FOLLOW, { subject: didOf(`followed${i}`) }, atMs)
      put(member, BLOCK, { subject: didOf(`blocked${i}`) }, atMs + 1)
    }
    put(member, FOLLOW, { subject: newest.did }, startAt - 2_000)
    put(member, BLOCK, { subject: blocked.did }, startAt - 1_000)
    world.w.member(member.did)
    await expect.poll(() => world.timeline(member)).toContain('N1')
    const viewerOf = async (of: { did: string }) => (await world.profile(of, member)).viewer
    await expect.poll(async () => (await viewerOf(blocked)).blocking).toBeTypeOf('string')
    expect((await viewerOf(newest)).following).toBeTypeOf('string')
    await expect.poll(async () => (await world.profile(member, member)).followsCount).toBe(1_200)
  },
  120_000,
)
