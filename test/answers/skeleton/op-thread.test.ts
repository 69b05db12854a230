// The chain of replies by a thread's owner: handwritten cases, and equality with the reference over random
// replies and deletions.

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { opThread } from '../../../src/answers/skeleton/op-thread.ts'
import { packRkey } from '../../../src/base/atproto/keys.ts'
import type { OpReplyRow } from '../../../src/data/store/read/posts/threads.ts'
import { superlinear } from '../../support/cpu-growth.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { tidAt } from '../../support/records.ts'
import { referenceHome, referenceIsInstalled } from '../../support/reference-appview.ts'

const SEED = Number(process.env['SEED'] ?? 8_100)
const ROOT = 1
const DAY_MS = Date.UTC(2026, 10, 1)

/** A reply written `at` milliseconds into the day. */
function reply(
  post: number,
  given: { parent?: number; at: number; deletedAt?: number; rkey?: string },
): OpReplyRow {
  const { parent = ROOT, at, deletedAt, rkey = tidAt((DAY_MS + at) * 1000) } = given
  return [post, parent, deletedAt === undefined ? null : DAY_MS + deletedAt, packRkey(rkey)]
}

describe("the owner's chain", () => {
  test('is absent if the owner adds no reply', () => {
    expect(opThread(ROOT, [])).toBeUndefined()
    expect(opThread(ROOT, [reply(2, { parent: 7, at: 1 })])).toBeUndefined()
  })

  test('continues with the oldest reply, and from there', () => {
    const rows = [
      reply(2, { at: 2 }),
      reply(3, { at: 1 }),
      reply(4, { parent: 3, at: 3 }),
      reply(5, { parent: 2, at: 4 }),
    ]
    expect(opThread(ROOT, rows)).toEqual([ROOT, 3, 4])
  })

  test('passes through a deleted reply while any reply remains below it', () => {
    const rows = [
      reply(2, { at: 1, deletedAt: 9 }),
      reply(3, { parent: 2, at: 2 }),
      reply(4, { at: 3 }),
    ]
    expect(opThread(ROOT, rows)).toEqual([ROOT, 2, 3])
  })

  test('gives the place of a deleted reply only to one written after the deletion', () => {
    const before = reply(3, { at: 5 })
    const after = reply(4, { at: 11 })
    const deleted = reply(2, { at: 1, deletedAt: 10 })
    expect(opThread(ROOT, [deleted, before])).toBeUndefined()
    expect(opThread(ROOT, [deleted, before, after])).toEqual([ROOT, 4])
  })

  test('takes time in proportion to its length', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => reply(i + 2, { parent: i + 1, at: i }))
    const work = (length: number) => {
      const rows = chain(length)
      for (let i = 0; i < 20; i++) expect(opThread(ROOT, rows)).toHaveLength(length + 1)
    }
    expect(await superlinear(work, 4_000)).toBeUndefined()
  })

  test('is absent if the posts form a cycle', () => {
    const rows = [
      reply(2, { at: 1 }),
      reply(3, { parent: 2, at: 2 }),
      reply(2, { parent: 3, at: 3 }),
    ]
    expect(opThread(ROOT, rows)).toBeUndefined()
  })
})

if (!referenceIsInstalled) console.warn('SKIPPED: no reference to compare with')

test.skipIf(!referenceIsInstalled)(
  `matches the reference over random threads (seed ${SEED})`,
  async () => {
    const { resolveCanonicalOpThread } = (await import(
      join(referenceHome, 'data-plane/server/op-thread.js')
    )) as { resolveCanonicalOpThread: (root: string, replies: object[]) => string[] | undefined }
    const random = createRandom(SEED)
    const lengths = new Set<number>()
    for (let i = 0; i < 400; i++) {
      const { rows, theirs } = randomReplies(random)
      const line = resolveCanonicalOpThread(uriOf('root'), theirs)
      const ours = opThread(ROOT, rows)
      expect(ours?.map((post) => uriOf(post === ROOT ? 'root' : keyOf(rows, post)))).toEqual(line)
      lengths.add(ours?.length ?? 0)
    }
    expect(Math.max(...lengths)).toBeGreaterThan(4)
    expect(lengths).toContain(0)
  },
)

const keys = new Map<OpReplyRow, string>()

function randomReplies(random: Random) {
  const rows: OpReplyRow[] = []
  const theirs: object[] = []
  for (let post = 2; post < 2 + random.below(12); post++) {
    const parent = random.chance(0.3) ? ROOT : 1 + random.below(post - 1)
    const at = random.below(1_000)
    const rkey = random.chance(0.1) ? `key-${post}` : tidAt((DAY_MS + at) * 1000, post)
    const deletedAt = random.chance(0.4) ? random.below(1_000) : undefined
    const row = reply(post, { parent, at, rkey, ...(deletedAt !== undefined && { deletedAt }) })
    rows.push(row)
    keys.set(row, rkey)
    theirs.push({
      uri: uriOf(rkey),
      parentUri: uriOf(parent === ROOT ? 'root' : keyOf(rows, parent)),
      deletedAt: deletedAt === undefined ? null : new Date(DAY_MS + deletedAt).toISOString(),
    })
  }
  return { rows, theirs }
}

function keyOf(rows: OpReplyRow[], post: number): string {
  return keys.get(rows.find(([id]) => id === post)!) ?? 'gone'
}

function uriOf(rkey: string): string {
  return `at://did:plc:owner/app.bsky.feed.post/${rkey}`
}
