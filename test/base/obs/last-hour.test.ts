import { expect, test } from 'vitest'
import { createLastHour } from '../../../src/base/obs/last-hour.ts'
import { MINUTE_MS } from '../../../src/base/util/durations.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

test('sums the sixty latest minutes, across any pauses', () => {
  const random = createRandom(testSeed('last hour'))
  let now = Date.UTC(2026, 0, 1)
  const hour = createLastHour(() => now)
  const all: { minute: number; value: number }[] = []
  for (let i = 0; i < 2_000; i++) {
    now += random.below(random.below(50) === 0 ? 100 * MINUTE_MS : 2 * MINUTE_MS)
    const minute = Math.floor(now / MINUTE_MS)
    const isLast = (item: { minute: number }) => item.minute > minute - 60
    const expected = all.filter(isLast).reduce((sum, { value }) => sum + value, 0)
    expect(hour.sum()).toBe(expected)
    const value = random.below(100)
    hour.add(value)
    all.push({ minute, value })
  }
})
