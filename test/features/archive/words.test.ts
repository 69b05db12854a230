// The progress of a start from the archive in words, at each reason to wait.

import { expect, test } from 'vitest'
import type { ArchiveStatus } from '../../../src/features/archive/archive-status.ts'
import { beforeLiveOf } from '../../../src/features/archive/archive-words.ts'

const READING: ArchiveStatus = {
  state: 'reading',
  host: 'wss://jet.example',
  seq: 25,
  tipSeq: 200,
  percent: 12.5,
  reachedUs: Date.UTC(2026, 1, 3) * 1_000,
  startedAt: 0,
  events: 2_500_000,
  bytes: 42e9,
  dayBytes: 7e9,
  lostBlocks: 0,
  waiting: undefined,
}
const UNTIL = Date.UTC(2026, 5, 7, 0, 0)

test('its progress is told until it is done', () => {
  expect(beforeLiveOf(READING)).toEqual({
    what: 'archive',
    percent: 12.5,
    text: '12.5 % is read, up to 2026-02-03: 2.5M events, 42 GB received (7.0 GB today).',
    waiting: undefined,
  })
  expect(beforeLiveOf({ ...READING, lostBlocks: 1 })!.text).toContain('1 block could not be read')
  expect(beforeLiveOf({ ...READING, state: 'done' })).toBeUndefined()
})

test.each([
  ['quota', 'Waiting for the quota, until 2026-06-07 00:00 UTC: the day is over.'],
  ['refused', 'The host refuses, until'],
  ['away', 'The host is out of reach, until'],
] as const)('when it waits (%s), it says why and until when', (why, words) => {
  const waiting = { why, until: UNTIL, message: 'the day is over' }
  const found = beforeLiveOf({ ...READING, state: 'waiting', waiting })!
  expect(found.text).toContain(words)
  expect(found.waiting!.message).toBe('the day is over')
  expect(found.waiting!.fix !== undefined).toBe(why === 'refused')
})
