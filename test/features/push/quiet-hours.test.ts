// Hours of the day, beside a naive clock: over midnight, in other time zones, and when clocks are put forward.

import { expect, test } from 'vitest'
import { isQuiet, readHours, spokenHours } from '../../../src/features/push/quiet-hours.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const at = (text: string) => Date.parse(text)

test('are those between two times, also over midnight, as a naive clock counts them', () => {
  const random = createRandom(testSeed('quiet hours'))
  for (let i = 0; i < 500; i++) {
    const starts = random.below(DAY_MINUTES)
    const ends = (starts + 1 + random.below(DAY_MINUTES - 1)) % DAY_MINUTES
    const quiet = new Set<number>()
    for (let time = starts; time !== ends; time = (time + 1) % DAY_MINUTES) quiet.add(time)
    const time = random.below(DAY_MINUTES)
    const now = at('2026-11-28T00:00:00Z') + time * MINUTE_MS + random.below(MINUTE_MS)
    expect(isQuiet({ starts, ends, timeZone: 'UTC' }, now)).toBe(quiet.has(time))
  }
})

test('follow the clock of their time zone', () => {
  const nightIn = (timeZone: string) => read('22:00', '07:00', timeZone)
  const berlin = nightIn('Europe/Berlin')
  // 06:30 in winter, and 07:30 once clocks were put forward.
  expect(isQuiet(berlin, at('2026-03-28T05:30:00Z'))).toBe(true)
  expect(isQuiet(berlin, at('2026-03-29T05:30:00Z'))).toBe(false)
  expect(isQuiet(nightIn('Asia/Kolkata'), at('2026-11-28T16:29:00Z'))).toBe(false)
  expect(isQuiet(nightIn('Asia/Kolkata'), at('2026-11-28T16:30:00Z'))).toBe(true)
})

test('a time of day is written as it was read, and nothing else is one', () => {
  for (let starts = 0; starts < DAY_MINUTES; starts++) {
    const hours = { starts, ends: (starts + 1) % DAY_MINUTES, timeZone: 'UTC' }
    expect(readHours(spokenHours(hours))).toEqual(hours)
  }
  for (const text of ['', '24:00', '12:60', '1:00', '12:00:00', ' 12:00', '１２:００']) {
    expect(readHours({ from: text, until: '07:00', timeZone: 'UTC' })).toMatch(/times of day/)
  }
})

function read(from: string, until: string, timeZone: string) {
  const hours = readHours({ from, until, timeZone })
  if (typeof hours === 'string') throw new Error(hours)
  return hours
}
