import { describe, expect, it } from 'vitest'
import { isoTime } from '../../../src/base/util/iso-time.ts'
import { createRandom } from '../../support/random.ts'

const FARTHEST_MS = 8.64e15

describe('isoTime', () => {
  it('writes any time as a Date does', () => {
    const random = createRandom(1)
    for (let i = 0; i < 20_000; i++) {
      const spread = 10 ** random.below(16)
      const ms = (random.chance(0.5) ? 1 : -1) * random.below(Math.min(spread, FARTHEST_MS))
      expect(isoTime(ms)).toBe(new Date(ms).toISOString())
    }
    for (const ms of [
      0, -1, 999, 86_399_999, 86_400_000, -62_167_219_200_000, 253_402_300_799_999,
    ]) {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString())
    }
  })

  it('writes the nearest time that a Date can have', () => {
    expect(isoTime(FARTHEST_MS + 1_000)).toBe('+275760-09-13T00:00:00.000Z')
    expect(isoTime(-Infinity)).toBe('-271821-04-20T00:00:00.000Z')
  })

  it('returns undefined for null', () => {
    expect(isoTime(null)).toBeUndefined()
  })
})
