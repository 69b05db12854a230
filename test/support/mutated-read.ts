import { expect } from 'vitest'
import { mutated } from './mutated.ts'
import type { Random } from './random.ts'

const ROUNDS = 3_000

/**
 * Reads a valid answer with random changes many times: each is read, or refused with the reader's own error.
 * @param word - that error's class; undefined: all are read
 */
export async function expectMutatedRead(
  honest: Buffer,
  options: {
    read: (bytes: Buffer) => unknown
    word: unknown
    random: Random
  },
): Promise<void> {
  const { read, word, random } = options
  await read(honest)
  let good = 0
  let bad = 0
  for (let i = 0; i < ROUNDS; i++) {
    const bytes = mutated(honest, random)
    try {
      await read(bytes)
      good += 1
    } catch (error) {
      if (!word) throw error
      expect(error, bytes.toString()).toBeInstanceOf(word)
      bad += 1
    }
  }
  expect(good).toBeGreaterThan(0)
  expect(bad > 0).toBe(word !== undefined)
}
