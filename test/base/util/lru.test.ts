import { describe, expect, test } from 'vitest'
import { LruMap } from '../../../src/base/util/lru.ts'
import { createRandom } from '../../support/random.ts'

const CAPACITY = 8

describe('a bounded map', () => {
  test('evicts what was not read since it was last considered', () => {
    const map = new LruMap<string, number>(3)
    for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i)
    expect(map.get('a')).toBe(0)
    map.set('d', 3)
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([0, undefined, 2, 3])
  })

  test('evicts one entry although all were read', () => {
    const map = new LruMap<number, number>(CAPACITY)
    for (let i = 0; i < CAPACITY; i++) map.set(i, i)
    for (let i = 0; i < CAPACITY; i++) map.get(i)
    map.set(CAPACITY, CAPACITY)
    expect(map.size).toBe(CAPACITY)
    expect(map.get(CAPACITY)).toBe(CAPACITY)
  })

  test('never gives another value than the last one set, and never more than its capacity', () => {
    const random = createRandom(3)
    const map = new LruMap<number, number>(CAPACITY)
    const model = new Map<number, number>()
    for (let i = 0; i < 20_000; i++) {
      const key = random.zipf(4 * CAPACITY)
      if (random.chance(0.1)) {
        map.delete(key)
        model.delete(key)
      } else if (random.chance(0.5)) {
        map.set(key, i)
        model.set(key, i)
        expect(map.get(key)).toBe(i)
      } else expect([undefined, model.get(key)]).toContain(map.get(key))
      expect(map.size).toBeLessThanOrEqual(CAPACITY)
    }
  })

  test('keeps what is read often among many that are read once', () => {
    const map = new LruMap<string, number>(CAPACITY)
    map.set('often', 1)
    for (let i = 0; i < 1_000; i++) {
      expect(map.get('often')).toBe(1)
      map.set(`once ${i}`, i)
    }
  })
})
