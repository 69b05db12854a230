import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packRkey } from '../../../src/base/atproto/keys.ts'
import { createActorTable } from '../../../src/data/graph/actor-table.ts'
import {
  createIsDrawn,
  type Draw,
  drawByHash,
  hashDraw,
  itemHash,
  keepShare,
} from '../../../src/data/graph/lossiness.ts'
import { openWriter } from '../../../src/data/store/db.ts'
import { prepareItemDraw } from '../../../src/data/store/read/timelines/item-draw.ts'
import { createRandom } from '../../support/random.ts'
import { didOf, tidAt } from '../../support/records.ts'

const LIMIT = 2_000
const TRIALS = 200_000

function storedOf(draw: Draw, follows: number): number {
  const graph = { followsCount: () => follows }
  const isDrawn = createIsDrawn({ graph, limit: LIMIT, draw })
  let retained = 0
  for (let i = 0; i < TRIALS; i++) if (isDrawn(1 + (i % 400), 2 * Math.floor(i / 400))) retained++
  return retained
}

/** Five standard deviations of a binomial: a false alarm once in two million runs. */
function expectShare(retained: number, share: number): void {
  const deviation = Math.sqrt(TRIALS * share * (1 - share))
  expect(Math.abs(retained - TRIALS * share)).toBeLessThanOrEqual(5 * deviation)
}

const random = createRandom(42)
const sources: [string, Draw][] = [
  ['the hash of item and follower', hashDraw],
  ['an injected source', () => random.next()],
]

describe.each(sources)('with %s', (_, draw) => {
  test.each([1, 2, 4, 50])('an account at %i times the limit keeps its share', (times) => {
    expectShare(storedOf(draw, LIMIT * times), 1 / times)
  })
})

test('an account at or below the limit keeps everything, and the source is not queried', () => {
  const draw: Draw = () => {
    throw new Error('asked')
  }
  expect(storedOf(draw, LIMIT)).toBe(TRIALS)
  expect(keepShare(LIMIT, 3)).toBe(1)
  expect(keepShare(0, 1_000_000)).toBe(1)
})

test('the draw is the same for the same pair, and independent of other pairs', () => {
  expect(hashDraw(12, 34)).toBe(hashDraw(12, 34))
  // Neighbouring items for one follower, and neighbouring followers for one item, agree as often as
  // chance predicts: in half of the cases at a share of 1/2.
  const agreeing = (pair: (i: number) => [number, number]) => {
    let count = 0
    for (let i = 0; i < TRIALS; i++) {
      const [a, b] = pair(i)
      if (a < 0.5 === b < 0.5) count++
    }
    return count
  }
  expectShare(
    agreeing((i) => [hashDraw(2 * i, 5), hashDraw(2 * i + 2, 5)]),
    0.5,
  )
  expectShare(
    agreeing((i) => [hashDraw(77, i), hashDraw(77, i + 1)]),
    0.5,
  )
  expectShare(
    agreeing((i) => [hashDraw(i, i + 1), hashDraw(i + 1, i)]),
    0.5,
  )
})

test('the draw for an item depends on its record: another key, kind or account is another draw', () => {
  const tid = packRkey('3kbmq5c2ntc2a')
  const hashes = [
    itemHash(1, tid, false),
    itemHash(1, tid, true),
    itemHash(2, tid, false),
    itemHash(1, packRkey('3kbmq5c2ntc2b'), false),
    itemHash(1, 'self', false),
    itemHash(1, 'elf', false),
  ]
  expect(new Set(hashes).size).toBe(hashes.length)
})

/** An account's post or repost, and a reader who follows more than they can read. */
type Pair = { author: string; rkey: string; isRepost: boolean; reader: string }

function somePairs(): Pair[] {
  return Array.from({ length: 2_000 }, (_, i) => ({
    author: i % 7 === 0 ? `did:web:author${i % 40}.example` : didOf(`author ${i % 40}`),
    rkey: i % 11 === 0 ? `key-${i}` : tidAt(1_790_000_000_000_000 + i * 977),
    isRepost: i % 3 === 0,
    reader: i % 5 === 0 ? `did:web:reader${i % 30}.example` : didOf(`reader ${i % 30}`),
  }))
}

/** Draws of a server that first saw accounts and items in this order, from memory and from rows. */
function drawAll(pairs: readonly Pair[]): Map<string, [number, number]> {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-draw-'))
  const db = openWriter(folder)
  const actors = createActorTable()
  const fromRows = prepareItemDraw(db, actors)
  const fromMemory = drawByHash(actors)
  const draws = pairs.map(({ author, rkey, isRepost, reader }): [string, [number, number]] => {
    const uid = actors.intern(author)
    const packed = packRkey(rkey)
    const post = db.prepare('INSERT INTO posts (uid, rkey, state, flags) VALUES (?, ?, 0, 0)')
    const repost = db.prepare('INSERT INTO reposts VALUES (NULL, ?, ?, 1, 0, 0, 0, ?)')
    const { lastInsertRowid } = isRepost
      ? repost.run(uid, packed, Buffer.alloc(32))
      : post.run(uid, packed)
    const item = Number(lastInsertRowid) * 2 + Number(isRepost)
    const owner = actors.intern(reader)
    const hash = itemHash(actors.hashOf(uid), packed, isRepost)
    return [
      [author, rkey, isRepost, reader].join(),
      [fromMemory(hash, owner), fromRows(item, owner)],
    ]
  })
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return new Map(draws)
}

test('two servers that saw everything in a different order draw alike, from memory and from rows', () => {
  const pairs = somePairs()
  const first = drawAll(pairs)
  const second = drawAll([...pairs].reverse())
  for (const [pair, [drawn, again]] of first) {
    expect(second.get(pair)).toEqual([drawn, again])
    expect(again).toBe(drawn)
  }
  const below = [...first.values()].filter(([drawn]) => drawn < 0.5).length
  expect(Math.abs(below - pairs.length / 2)).toBeLessThan(5 * Math.sqrt(pairs.length / 4))
})
