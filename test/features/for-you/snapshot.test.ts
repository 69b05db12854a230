// The engine's memory in a file: the same pages after a restart, an empty start if the file is no good, and a
// snapshot taken while likes go on.

import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createState } from '../../../src/features/for-you/engine/layout.ts'
import { loadSnapshot, saveSnapshot } from '../../../src/features/for-you/engine/snapshot.ts'
import { createRandom } from '../../support/random.ts'
import { ownLikes, randomLikes, recommended, tell } from './likes-world.ts'

const BYTES = 3 << 20
const SIZE = { people: 60, posts: 90, members: 4, minutes: 2000 }
let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'for-you-'))
  path = join(folder, 'for-you.snapshot')
})
afterEach(() => rmSync(folder, { recursive: true }))

function played(seed: number) {
  const likes = randomLikes(createRandom(seed), 800, SIZE)
  const state = createState(BYTES, 7)
  for (const like of likes) tell(state, like)
  return { state, likes }
}

test('pages are the same after a restart, and likes go on', async () => {
  const { state, likes } = played(1)
  await saveSnapshot(state, path)
  const { state: again, problem } = loadSnapshot(path, BYTES, 1234)
  expect(problem).toBeUndefined()
  const own = ownLikes(likes, 1)
  expect(recommended(again, 1, own)).toEqual(recommended(state, 1, own))
  for (const like of randomLikes(createRandom(2), 300, SIZE)) {
    const timeMs = like.timeMs + 2_000 * 60_000
    tell(state, { ...like, timeMs })
    tell(again, { ...like, timeMs })
  }
  expect(recommended(again, 1, own).length).toBeGreaterThan(0)
  expect(recommended(again, 1, own)).toEqual(recommended(state, 1, own))
})

test('a snapshot taken while likes go on has all from before', async () => {
  const { state, likes } = played(3)
  const own = ownLikes(likes, 1)
  const before = recommended(state, 1, own)
  const saving = saveSnapshot(state, path)
  const timeMs = likes.at(-1)!.timeMs
  for (let turn = 0; turn < 40; turn++) {
    tell(state, { liker: 500 + turn, post: 700 + turn, author: 3, timeMs, isMembers: false })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await saving
  const { state: again, problem } = loadSnapshot(path, BYTES, 7)
  expect(problem).toBeUndefined()
  const known = new Set(recommended(again, 1, own).map(({ id }) => id))
  expect(before.every(({ id }) => known.has(id))).toBe(true)
})

test('a snapshot is as large as what the memory holds', async () => {
  await saveSnapshot(createState(96 << 20, 7), path)
  expect(statSync(path).size).toBeLessThan(10_000)
  expect(loadSnapshot(path, 96 << 20, 7).problem).toBeUndefined()
  const { state } = played(4)
  await saveSnapshot(state, path)
  const { size } = statSync(path)
  expect(size).toBeGreaterThan(100_000)
  expect(size).toBeLessThan(state.buffer.byteLength / 2)
})

test.each([
  ['cut short', (file: string) => truncateSync(file, 100_000), /damaged/],
  ['of another kind', (file: string) => writeFileSync(file, 'hello'), /damaged/],
  ['changed in one bit', flipOneBit, /damaged/],
])('a file that is %s is not used', async (_, damage, message) => {
  const { state, likes } = played(5)
  await saveSnapshot(state, path)
  damage(path)
  const { state: again, problem } = loadSnapshot(path, BYTES, 7)
  expect(problem).toMatch(message)
  expect(recommended(again, 1, ownLikes(likes, 1))).toEqual([])
})

test('another budget begins anew', async () => {
  await saveSnapshot(played(6).state, path)
  expect(loadSnapshot(path, BYTES * 2, 7).problem).toMatch(/another size/)
})

function flipOneBit(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 4
  writeFileSync(file, bytes)
}
