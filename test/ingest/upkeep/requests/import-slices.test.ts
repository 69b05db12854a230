// How parts of lists are cut into slices.

import { expect, it } from 'vitest'
import type { FollowLine } from '../../../../src/data/store/records/follows.ts'
import { emptyTally } from '../../../../src/ingest/indexing/imports/import-tally.ts'
import { createImportSlices } from '../../../../src/ingest/upkeep/requests/import-slices.ts'
import { createRandom } from '../../../support/random.ts'

const random = createRandom(7)

function someLines(count: number, accounts: number): FollowLine[] {
  return Array.from({ length: count }, (_, i) => {
    return {
      did: `did:plc:${random.below(accounts)}`,
      subject: `did:plc:subject${i}`,
      rkey: undefined,
    }
  })
}

it('brings an account’s lines together, in their order, and leaves none out', async () => {
  const slices: (readonly FollowLine[])[] = []
  const importPart = createImportSlices({
    apply(lines) {
      slices.push(lines)
      return { ...emptyTally(), added: lines.length }
    },
    tendLog: () => undefined,
  })
  const lines = someLines(5_000, 300)
  const tally = await importPart(lines, false)
  expect(tally.added).toBe(lines.length)
  expect(slices.length).toBeGreaterThan(1)
  const imported = slices.flat()
  expect(Map.groupBy(imported, ({ did }) => did)).toEqual(Map.groupBy(lines, ({ did }) => did))
  const changes = imported.filter(({ did }, i) => i > 0 && did !== imported[i - 1]!.did)
  expect(changes.length + 1).toBe(new Set(lines.map(({ did }) => did)).size)
})

it('goes on with the next part after one that failed', async () => {
  let fails = true
  const importPart = createImportSlices({
    apply(lines) {
      if (fails) throw new Error('no room')
      return { ...emptyTally(), added: lines.length }
    },
    tendLog: () => undefined,
  })
  await expect(importPart(someLines(10, 3), false)).rejects.toThrow('no room')
  fails = false
  expect((await importPart(someLines(10, 3), false)).added).toBe(10)
})
