// Which member gives way to a newcomer when the number of members is at its limit, against rows of all kinds
// of members.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { MINUTE_MS } from '../../../../src/base/util/durations.ts'
import { seatsOfOnce } from '../../../../src/data/store/members/seats.ts'
import { makeSeat, memberSeen } from '../../../../src/ingest/indexing/members/members.ts'
import { addMember } from '../../../../src/ingest/indexing/members/operator-members.ts'
import { createWorld, type World } from '../../../support/world.ts'

const MAX = 40

let world: World

beforeEach(() => {
  world = createWorld({})
})
afterEach(() => world.dispose())

function comes(name: string, except: string[] = []): string {
  const did = world.account(name)
  world.tick(10)
  world.run((ctx) => {
    makeSeat(ctx, did, { maxMembers: MAX, except })
    memberSeen(ctx, did)
  })
  return did
}

function members(): Set<string> {
  const sql = 'SELECT did FROM members JOIN actors USING (uid)'
  return new Set(world.db.prepare<[], string>(sql).pluck().all())
}

test('junk in every seat keeps no person out; returning members and those with private data stay', () => {
  const [added, loud] = [world.account('added'), world.account('loud')]
  world.run((ctx) => addMember(ctx, added))
  const [named, muting, drafting, regular] = ['named', 'muting', 'drafting', 'regular'].map(
    (name) => comes(name),
  ) as [string, string, string, string]
  world.request({ kind: 'mute', id: 1, did: muting, subjectDid: loud })
  world.request({ kind: 'create-draft', id: 2, did: drafting, draftId: '3k', draft: '{}' })
  world.tick(60 * MINUTE_MS)
  world.run((ctx) => memberSeen(ctx, regular))
  world.follow(regular, loud)
  world.run((ctx) => memberSeen(ctx, added))
  const junk = Array.from({ length: 500 }, (_, i) => comes(`junk${i}`, [named]))
  expect(members().size).toBe(MAX)

  const person = comes('person', [named])
  expect(members().size).toBe(MAX)
  for (const did of [added, named, muting, drafting, regular, person])
    expect(members()).toContain(did)
  expect(junk.filter((did) => members().has(did))).toEqual(junk.slice(-(MAX - 6)))
})

test('a member active now outlasts later ones that are gone', () => {
  const person = comes('person')
  for (let i = 0; i < 3; i++) {
    world.tick(2 * MINUTE_MS)
    world.run((ctx) => memberSeen(ctx, person))
    for (let k = 0; k < MAX - 1; k++) comes(`junk${i}.${k}`)
    expect(members()).toContain(person)
  }
  // By now this is more than one visit.
  world.tick(6 * MINUTE_MS)
  world.run((ctx) => memberSeen(ctx, person))
  world.follow(person, world.account('friend'))
  for (let k = 0; k < 2 * MAX; k++) comes(`late${k}`)
  expect(members()).toContain(person)
})

/** Signs in an account that returns after a quarter of an hour. */
function comesAgain(name: string, isFollowing: boolean): string {
  const did = comes(name)
  if (isFollowing) world.follow(did, world.account('friend'))
  world.tick(11 * MINUTE_MS)
  world.run((ctx) => memberSeen(ctx, did))
  return did
}

test('if every member returned and follows an account, there is no room for a month', () => {
  const first = comesAgain('regular0', true)
  for (let i = 1; i < MAX; i++) comesAgain(`regular${i}`, true)
  expect(() => comes('person')).toThrow('as many members as may be')
  expect(members().size).toBe(MAX)
  world.tick(31 * 24 * 60 * MINUTE_MS)
  comes('person')
  expect(members().size).toBe(MAX)
  expect(members()).not.toContain(first)
})

test('junk that returns keeps no person out', () => {
  const regular = comesAgain('regular', true)
  const junk = Array.from({ length: MAX - 1 }, (_, i) => comesAgain(`junk${i}`, false))
  const people = ['one', 'two', 'three'].map((name) => comes(name))
  expect(members().size).toBe(MAX)
  for (const did of [regular, ...people]) expect(members()).toContain(did)
  expect(junk.filter((did) => members().has(did))).toEqual(junk.slice(3))
})

test('each kind of private data keeps a seat, but not what a client writes automatically', () => {
  const did = comes('somebody')
  const isSeat = () => seatsOfOnce(world.db, { limit: 1, except: [] }).length === 1
  world.request({ kind: 'notifications-seen', id: 1, did, seenAt: world.now() })
  expect(isSeat()).toBe(true)
  const uid = world.uid(did)
  const kinds = {
    mutes: '(uid, subject, created_at) VALUES (?, 9, 1)',
    list_mutes: '(uid, list, created_at) VALUES (?, 9, 1)',
    thread_mutes: '(uid, root, created_at) VALUES (?, 9, 1)',
    bookmarks: "(uid, post, cid, created_at) VALUES (?, 9, 'c', 1)",
    drafts: "(uid, id, draft, created_at, updated_at) VALUES (?, 'a', '{}', 1, 1)",
    preferences: "(uid, preferences) VALUES (?, '[]')",
    activity_subscriptions: '(uid, subject, post, reply, created_at) VALUES (?, 9, 1, 0, 1)',
  }
  for (const [table, values] of Object.entries(kinds)) {
    world.db.prepare(`INSERT INTO ${table} ${values}`).run(uid)
    expect(isSeat(), table).toBe(false)
    world.db.prepare(`DELETE FROM ${table} WHERE uid = ?`).run(uid)
    expect(isSeat(), table).toBe(true)
  }
  world.request({ kind: 'notification-priority', id: 2, did, priority: true })
  expect(isSeat()).toBe(false)
})
