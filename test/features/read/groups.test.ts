// Rows of the page of notifications.

import { expect, test } from 'vitest'
import { groupsOf } from '../../../src/features/read/assets/notifications/groups.ts'

const HOUR_MS = 3_600_000
const NEWEST = Date.parse('2026-11-28T12:00:00Z')

let made = 0
const run = (reason: string, by: string, hoursAgo: number, reasonSubject?: string) => ({
  id: made++,
  reason,
  author: { did: by },
  indexedAt: new Date(NEWEST - hoursAgo * HOUR_MS).toISOString(),
  ...(reasonSubject && { reasonSubject }),
})

const shapes = (all: ReturnType<typeof run>[]) =>
  groupsOf(all).map((group) => `${group[0].reason} ${group.length}`)

test('are one for likes of a post, reposts of it, and followers', () => {
  const all = [
    run('like', 'a', 0, 'p'),
    run('follow', 'a', 1),
    run('like', 'b', 2, 'p'),
    run('repost', 'b', 2, 'p'),
    run('like', 'b', 3, 'q'),
    run('follow', 'c', 4),
  ]
  expect(shapes(all)).toEqual(['like 2', 'follow 2', 'repost 1', 'like 1'])
  expect(
    groupsOf(all)
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(all.map(({ id }) => id))
})

test('are two beyond two days, and for one account twice', () => {
  expect(shapes([run('like', 'a', 0, 'p'), run('like', 'b', 47, 'p')])).toEqual(['like 2'])
  expect(shapes([run('like', 'a', 0, 'p'), run('like', 'b', 48, 'p')])).toEqual([
    'like 1',
    'like 1',
  ])
  expect(shapes([run('follow', 'a', 0), run('follow', 'a', 1)])).toEqual(['follow 1', 'follow 1'])
})

test('what somebody wrote is a row of its own, but for posts of accounts subscribed to', () => {
  for (const reason of ['reply', 'mention', 'quote', 'verified']) {
    expect(shapes([run(reason, 'a', 0, 'p'), run(reason, 'b', 0, 'p')])).toHaveLength(2)
  }
  expect(shapes([run('subscribed-post', 'a', 0), run('subscribed-post', 'a', 1)])).toEqual([
    'subscribed-post 2',
  ])
})

test('who follows back is a row of their own', () => {
  const back = run('follow', 'friend', 1)
  const viewer = { following: 'at://me/app.bsky.graph.follow/3kaaaaaaaaaaa' }
  const all = [
    run('follow', 'a', 0),
    { ...back, author: { ...back.author, viewer } },
    run('follow', 'b', 2),
  ]
  expect(shapes(all)).toEqual(['follow 2', 'follow 1'])
})
