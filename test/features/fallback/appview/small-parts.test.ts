// The cache bounded by bytes, and the cursors that wrap another AppView's cursors.

import { describe, expect, test } from 'vitest'
import { createAnswerCache } from '../../../../src/features/fallback/appview/answer-cache.ts'
import {
  unwrapCursor,
  wrapCursor,
} from '../../../../src/features/fallback/appview/wrapped-cursor.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'

describe('the answer cache', () => {
  test('never exceeds its byte limit, and evicts the least recently used entry first', () => {
    const random = createRandom(testSeed('answer cache'))
    const cache = createAnswerCache(20_000, () => 0)
    /** Sorted from least to most recently used. */
    let held: { key: string; size: number; bytes: number }[] = []
    const total = () => held.reduce((sum, { bytes }) => sum + bytes, 0)
    let found = 0
    for (let i = 0; i < 3_000; i++) {
      const key = `k${random.below(60)}`
      const known = held.find((item) => item.key === key)
      const others = held.filter((item) => item.key !== key)
      if (random.chance(0.5)) {
        expect(cache.get(key)?.length).toBe(known?.size)
        if (!known) continue
        held = [...others, known]
        found++
      } else {
        const size = random.below(1_500)
        cache.set(key, Buffer.alloc(size), 1_000)
        held = [...others, { key, size, bytes: size + key.length * 2 + 200 }]
        while (total() > 20_000) held.shift()
      }
    }
    expect(found).toBeGreaterThan(100)
    cache.set('huge', Buffer.alloc(30_000), 1_000)
    expect(cache.get('huge')).toBeUndefined()
  })

  test('expires entries, including cached misses', () => {
    let now = 0
    const cache = createAnswerCache(1_000, () => now)
    cache.set('a', null, 10)
    cache.set('b', Buffer.from('x'), 20)
    expect(cache.get('a')).toBeNull()
    now = 10
    expect(cache.get('a')).toBeUndefined()
    expect(cache.get('b')?.toString()).toBe('x')
    now = 20
    expect(cache.get('b')).toBeUndefined()
  })
})

describe('a cursor that wraps theirs', () => {
  test('survives the round trip, for its purpose only', () => {
    for (const theirs of [
      undefined,
      'a',
      '2026-01-01T00:00:00Z::bafy',
      'ü_._%',
      'x'.repeat(2_000),
    ]) {
      const cursor = wrapCursor({ page: 7, theirs }, 'purpose')!
      expect(unwrapCursor(cursor, 'purpose')).toEqual({ page: 7, theirs })
      expect(unwrapCursor(cursor, 'another')).toBeUndefined()
      expect(unwrapCursor(cursor.replace('_7_', '_8_'), 'purpose')).toBeUndefined()
      // Handlers take cursors with '::' for those of very old clients.
      expect(cursor).not.toContain('::')
    }
  })

  test('is not made from one that is too long, nor for too many pages', () => {
    expect(wrapCursor({ page: 1, theirs: 'x'.repeat(2_001) }, 'p')).toBeUndefined()
    expect(wrapCursor({ page: 501, theirs: 'x' }, 'p')).toBeUndefined()
  })

  test('is refused if made up', () => {
    for (const cursor of [
      '',
      'elsewhere_',
      'elsewhere_1_.',
      'elsewhere_1_eA.aaaaaaaaaaa',
      'elsewhere_x_eA.aaaaaaaaaaa',
    ]) {
      expect(unwrapCursor(cursor, 'p')).toBeUndefined()
    }
  })
})
