// Members, the circle around them, and their timelines: written incrementally or rebuilt later from rows,
// they must be the same.

import { describe, expect, it } from 'vitest'
import { CELEBRITY, MEMBER } from '../../../../src/data/graph/types.ts'
import { fetchMissing } from '../../../../src/ingest/indexing/fetch-missing.ts'
import { memberSeen, removeMember } from '../../../../src/ingest/indexing/members/members.ts'
import { openTimeline } from '../../../../src/ingest/indexing/memory/open-timeline.ts'
import { countRows, jobsOf, postOf } from '../../../support/rows.ts'
import { createWorld, type World, type WorldOptions } from '../../../support/world.ts'

function inWorld(options: WorldOptions, act: (world: World) => void): void {
  const world = createWorld(options)
  try {
    act(world)
  } finally {
    world.dispose()
  }
}

function seenAt(world: World, did: string): unknown {
  const sql = 'SELECT last_seen_at FROM members WHERE uid = ?'
  return world.db.prepare(sql).pluck().get(world.uid(did))
}

describe('a member', () => {
  it('is stored once, queued for loading once, and marked as seen from time to time', () =>
    inWorld({}, (world) => {
      const did = world.account('member')
      world.member(did)
      const firstSeen = seenAt(world, did)
      expect(world.actors.flagsOf(world.uid(did)) & MEMBER).toBe(MEMBER)
      expect(jobsOf(world)).toEqual([`member ${world.uid(did)}`])
      world.tick(60_000)
      world.run((ctx) => memberSeen(ctx, did))
      expect(seenAt(world, did)).toBe(firstSeen)
      world.tick(3_600_000)
      world.run((ctx) => memberSeen(ctx, did))
      expect(seenAt(world, did)).toBe(world.now())
      expect(countRows(world, 'members')).toBe(1)
    }))

  it('turns existing follows into authors, until they leave', () =>
    inWorld({ members: ['first'] }, (world) => {
      const [first, second, third] = ['first', 'second', 'third'].map(world.account) as [
        string,
        string,
        string,
      ]
      world.follow(first, second)
      world.follow(second, third)
      expect(world.actors.memberFollowersOf(world.uid(third))).toBe(0)
      expect(jobsOf(world)).not.toContain(`feed ${world.uid(third)}`)
      world.member(second)
      expect(world.actors.memberFollowersOf(world.uid(third))).toBe(1)
      expect(jobsOf(world)).toContain(`feed ${world.uid(third)}`)
      const stored = world.post(third, 'kept')
      expect(world.timelineItems(second)).toEqual([postOf(world, stored)!.id * 2])
      world.run((ctx) => removeMember(ctx, second))
      expect(world.actors.memberFollowersOf(world.uid(third))).toBe(0)
      expect(world.timelines.isOpen(world.uid(second))).toBe(false)
      expect(postOf(world, world.post(third, 'not kept'))).toBeUndefined()
    }))

  it('has the rev of their latest commit, whether or not its record is stored', () =>
    inWorld({ members: ['member'] }, (world) => {
      const did = world.account('member')
      const rev = () => world.db.prepare('SELECT rev FROM actors WHERE did = ?').pluck().get(did)
      const revOf = (i: number) => (world.sent.at(i) as { rev: string }).rev
      world.post(did, 'hello')
      expect(rev()).toBe(revOf(-1))
      world.create(did, 'app.bsky.feed.like', { subject: 'nonsense' })
      expect(rev()).toBe(revOf(-1))
      world.apply([world.sent[0]!])
      expect(rev()).toBe(revOf(-1))
    }))

  it('is not alone in having a rev where all are kept', () =>
    inWorld({ scope: 'network', storesAllRevs: true }, (world) => {
      const did = world.account('stranger')
      const rev = () => world.db.prepare('SELECT rev FROM actors WHERE did = ?').pluck().get(did)
      world.post(did, 'hello')
      expect(rev()).toBe((world.sent.at(-1) as { rev: string }).rev)
      world.like(did, world.post(did, 'again'))
      expect(rev()).toBe((world.sent.at(-1) as { rev: string }).rev)
    }))

  it('has private mutes', () =>
    inWorld({ members: ['member'] }, (world) => {
      const did = world.account('member')
      world.mute(did, world.account('loud'))
      world.mute(did, world.account('loud'))
      expect(countRows(world, 'mutes')).toBe(1)
      world.unmute(did, world.account('loud'))
      expect(countRows(world, 'mutes')).toBe(0)
    }))

  it('gets requested records ahead of everything else', () =>
    inWorld({ members: ['member'] }, (world) => {
      let far: { uri: string } | undefined
      world.hold(() => {
        far = world.post(world.account('far'))
      })
      const did = world.account('unknown')
      world.run((ctx) => fetchMissing(ctx, { uris: [far!.uri, 'nonsense'], dids: [did] }))
      const sql = "SELECT kind || ' ' || priority FROM jobs WHERE kind <> 'member' ORDER BY 1"
      expect(world.db.prepare(sql).pluck().all()).toEqual([
        'identity 10',
        'post 10',
        'profile 10',
        'records 30',
      ])
      expect(postOf(world, far!.uri)?.state).toBe(0)
    }))
})

describe('a timeline', () => {
  it('adds a newly followed account’s past posts, and removes them on unfollow', () =>
    inWorld({ members: ['member', 'other'] }, (world) => {
      const [member, other, author] = ['member', 'other', 'author'].map(world.account) as [
        string,
        string,
        string,
      ]
      world.follow(other, author)
      const posts = [world.post(author, 'one'), world.post(author, 'two')]
      const items = posts.map((post) => postOf(world, post)!.id * 2).reverse()
      expect(world.timelineItems(member)).toEqual([])
      const follow = world.follow(member, author)
      const again = world.follow(member, author)
      expect(world.timelineItems(member)).toEqual(items)
      world.delete(follow)
      expect(world.timelineItems(member)).toEqual(items)
      world.delete(again)
      expect(world.timelineItems(member)).toEqual([])
      expect(world.timelineItems(other)).toEqual(items)
    }))

  it('that is lossy is the same when rebuilt from rows, and always includes its owner', () =>
    inWorld({ members: ['member'], reasonableLimit: 3, timelineLength: 100 }, (world) => {
      const member = world.account('member')
      const authors = Array.from({ length: 12 }, (_, i) => world.account(`author ${i}`))
      for (const did of authors) world.follow(member, did)
      for (let i = 0; i < 240; i++) world.post(authors[i % 12]!, `${i}`)
      const own = Array.from({ length: 10 }, (_, i) => world.post(member, `${i}`))
      const written = world.timelineItems(member)
      expect(own.every((post) => written.includes(postOf(world, post)!.id * 2))).toBe(true)
      // A quarter of 240, plus or minus five standard deviations.
      expect(written.length - own.length).toBeGreaterThan(26)
      expect(written.length - own.length).toBeLessThan(94)
      openTimeline(world.db, world.memory, world.uid(member), world.now())
      expect(world.timelineItems(member)).toEqual(written)
    }))

  it('rebuilt from rows reaches years back, and tells if there is more', () =>
    inWorld({ members: ['member', 'reader'], timelineLength: 5 }, (world) => {
      const [member, author] = ['member', 'author'].map(world.account) as [string, string]
      world.follow(member, author)
      const dates = ['2019-01-01', '2024-06-01', '2026-10-30', '2026-11-01']
      for (const date of dates) world.post(author, { createdAt: `${date}T00:00:00.000Z` })
      openTimeline(world.db, world.memory, world.uid(member), world.now())
      const ring = () => world.timelines.read(world.uid(member), undefined, 10)!
      expect(ring().entries.map(({ sortAt }) => new Date(sortAt).getFullYear())).toEqual([
        2026, 2026, 2024, 2019,
      ])
      expect(ring().truncated).toBe(false)
      for (let i = 0; i < 3; i++) world.post(author, `${i}`)
      openTimeline(world.db, world.memory, world.uid(member), world.now())
      expect(ring().entries).toHaveLength(5)
      expect(ring().truncated).toBe(true)
    }))

  it('leaves celebrities to readers, and takes them back when they no longer are', () =>
    inWorld({ members: ['a', 'b', 'c', 'd', 'e'], celebrityThreshold: 5 }, (world) => {
      const members = ['a', 'b', 'c', 'd', 'e'].map(world.account)
      const star = world.account('star')
      const isCelebrity = () => (world.actors.flagsOf(world.uid(star)) & CELEBRITY) !== 0
      const before = world.post(star, 'unseen')
      const follows = members.slice(0, 4).map((did) => world.follow(did, star))
      const first = world.post(star, 'first')
      expect(postOf(world, before)).toBeUndefined()
      expect(world.timelineItems(members[0]!)).toEqual([postOf(world, first)!.id * 2])
      follows.push(world.follow(members[4]!, star))
      expect(isCelebrity()).toBe(true)
      for (const did of members) expect(world.timelineItems(did)).toEqual([])
      const second = world.post(star, 'second')
      for (const did of members) expect(world.timelineItems(did)).toEqual([])
      world.restart()
      expect(isCelebrity()).toBe(true)
      for (const did of members) expect(world.timelineItems(did)).toEqual([])
      // Not at four, the count before, but below it.
      world.delete(follows.pop()!)
      expect(isCelebrity()).toBe(true)
      world.delete(follows.pop()!)
      expect(isCelebrity()).toBe(false)
      const items = [second, first].map((post) => postOf(world, post)!.id * 2)
      expect(world.timelineItems(members[0]!)).toEqual(items)
      expect(world.timelineItems(members[3]!)).toEqual([])
    }))
})
