// Memory that is lent out, given back and lent again, at random: no two owners ever share any of it.

import { expect, test } from 'vitest'
import { createReusedMemory } from '../../../src/answers/views/json/ready-json.ts'
import { createRandom } from '../../support/random.ts'

const { take: takeMemory, giveBack: giveBackMemory } = createReusedMemory(8 << 20)

type Lent = { bytes: Buffer; mark: number }

test('what is lent belongs to one owner until it is given back', () => {
  const random = createRandom(20)
  const lent: Lent[] = []
  for (let mark = 0; mark < 20_000; mark++) {
    const length = 1 + random.below(random.pick([100, 30_000, 300_000, 1_200_000]))
    const bytes = takeMemory(length)
    expect(bytes.length).toBeGreaterThanOrEqual(length)
    if (length > 1 << 14) expect(bytes.length).toBeLessThanOrEqual(length * 1.25 + 1)
    lent.push({ bytes: writeEnds(bytes.subarray(0, length), mark), mark })
    while (lent.length > 0 && random.chance(lent.length > 12 ? 0.9 : 0.45)) {
      const [item] = lent.splice(random.below(lent.length), 1)
      expect(readEnds(item!.bytes)).toEqual([item!.mark & 255, item!.mark & 255])
      giveBackMemory(item!.bytes)
    }
  }
})

test('memory is used again, but not by two if it is given back twice', () => {
  const first = takeMemory(50_000)
  giveBackMemory(first.subarray(0, 10))
  giveBackMemory(first)
  const second = takeMemory(50_000)
  const third = takeMemory(50_000)
  expect(second.buffer).toBe(first.buffer)
  expect(third.buffer).not.toBe(first.buffer)
})

test('other memory is never lent', () => {
  const own = Buffer.allocUnsafeSlow(1 << 16)
  giveBackMemory(own)
  expect(takeMemory(1 << 16).buffer).not.toBe(own.buffer)
})

test('at most 8 MB are kept for later', () => {
  const all = Array.from({ length: 40 }, () => takeMemory(1 << 20))
  for (const bytes of all) giveBackMemory(bytes)
  const again = Array.from({ length: 40 }, () => takeMemory(1 << 20))
  const known = new Set(all.map(({ buffer }) => buffer))
  const reused = again.filter(({ buffer }) => known.has(buffer))
  expect(reused.length).toBeGreaterThan(0)
  expect(reused.length).toBeLessThanOrEqual(8)
})

test('a size that is no longer asked for leaves room for others', () => {
  const memory = createReusedMemory(4 << 20)
  const large = Array.from({ length: 4 }, () => memory.take(1 << 20))
  for (const bytes of large) memory.giveBack(bytes)
  const small = memory.take(50_000)
  memory.giveBack(small)
  expect(memory.take(50_000).buffer).toBe(small.buffer)
})

function writeEnds(bytes: Buffer, mark: number): Buffer {
  bytes[0] = mark & 255
  bytes[bytes.length - 1] = mark & 255
  return bytes
}

function readEnds(bytes: Buffer): number[] {
  return [bytes[0]!, bytes.at(-1)!]
}
