// Rows of gaps: neighbouring gaps are merged, their number is bounded, and closed ones are remembered for a
// while.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StreamGap } from '@slipstream/jetstream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { insertActor } from '../../../../src/data/store/records/actors.ts'
import {
  closeAccountGap,
  closeGap,
  setGapStep,
  splitGap,
} from '../../../../src/data/store/stream/gap-repair.ts'
import {
  accountsWithGaps,
  gapCounts,
  gapsTouching,
  insertAccountGap,
  insertGap,
  listGaps,
  RETAINED_CLOSED_GAPS,
  streamGaps,
} from '../../../../src/data/store/stream/gaps.ts'

// The limit stated in the head of data/store/stream/gaps.ts.
const OPEN_STREAM_GAPS = 200
const OPEN_ACCOUNT_GAPS = 2_000
const HOUR_US = 3_600_000_000
let dataDir: string
let db: WriteDb

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slipstream-gap-rows-'))
  db = openWriter(dataDir)
})
afterEach(() => {
  db.close()
  rmSync(dataDir, { recursive: true })
})

function gap(fromUs: number, toUs: number, cause: StreamGap['cause'] = 'dropped-frame'): StreamGap {
  return { host: 'wss://a.example', fromUs, toUs, cause }
}

describe('gaps of the stream', () => {
  test('near each other are merged, and others stay separate', () => {
    const first = insertGap(db, gap(HOUR_US, HOUR_US + 5), 1)
    expect(insertGap(db, gap(HOUR_US + 1_000_000, HOUR_US + 2_000_000), 2)).toBe(first)
    expect(insertGap(db, gap(3 * HOUR_US, 4 * HOUR_US), 3)).not.toBe(first)
    expect(listGaps(db, { limit: 9 })).toMatchObject([
      { fromUs: 3 * HOUR_US, times: 1 },
      { fromUs: HOUR_US, toUs: HOUR_US + 2_000_000, times: 2, foundAt: 1 },
    ])
  })

  test('under repair are not widened: the part already repaired may be missing again', () => {
    const first = insertGap(db, gap(HOUR_US, HOUR_US + 5), 1)
    setGapStep(db, first, { step: 'replay', reached: HOUR_US + 1 })
    expect(insertGap(db, gap(HOUR_US + 2, HOUR_US + 3), 2)).not.toBe(first)
  })

  test('never exceed a few hundred, and still cover everything found', () => {
    for (let i = 0; i < OPEN_STREAM_GAPS + 50; i++) insertGap(db, gap(i * HOUR_US, i * HOUR_US), i)
    const rows = streamGaps(db)
    expect(rows).toHaveLength(OPEN_STREAM_GAPS)
    for (const i of [0, OPEN_STREAM_GAPS, OPEN_STREAM_GAPS + 49]) {
      const at = { fromUs: i * HOUR_US, toUs: i * HOUR_US }
      expect(gapsTouching(db, at).length).toBeGreaterThan(0)
    }
  })

  test('are split where a host’s window begins', () => {
    const id = insertGap(db, gap(HOUR_US, 3 * HOUR_US, 'cursor-too-old'), 1)
    splitGap(db, id, 2 * HOUR_US)
    expect(streamGaps(db)).toMatchObject([
      { id, fromUs: 2 * HOUR_US, toUs: 3 * HOUR_US, step: undefined },
      { fromUs: HOUR_US, toUs: 2 * HOUR_US, step: 'compare', cause: 'cursor-too-old' },
    ])
    splitGap(db, id, 2 * HOUR_US)
    expect(streamGaps(db)).toHaveLength(2)
  })

  test('that were closed are remembered, the latest ones', () => {
    for (let i = 1; i <= RETAINED_CLOSED_GAPS + 5; i++) {
      closeGap(db, insertGap(db, gap(i, i), i), { how: 'replayed', now: i })
    }
    expect(gapCounts(db)).toEqual({ open: 0, repairing: 0, closed: RETAINED_CLOSED_GAPS })
    const [last] = listGaps(db, { limit: 1 })
    expect(last).toMatchObject({
      state: 'closed',
      closedAt: RETAINED_CLOSED_GAPS + 5,
      how: 'replayed',
    })
    expect(gapsTouching(db, { fromUs: 0, toUs: HOUR_US })).toEqual([])
  })
})

describe('gaps of accounts', () => {
  test('are one per account until closed', () => {
    insertActor(db, 1, 'did:plc:someone', 0)
    const item = { uid: 1, cause: 'sync' as const, fromUs: 5, toUs: 6 }
    insertAccountGap(db, item, 1)
    insertAccountGap(db, { ...item, cause: 'moved', fromUs: 2, toUs: 9 }, 2)
    expect(listGaps(db, { limit: 9 })).toMatchObject([
      { did: 'did:plc:someone', host: undefined, cause: 'sync', fromUs: 2, toUs: 9, times: 2 },
    ])
    expect(accountsWithGaps(db, { fromUs: 8, toUs: 20 })).toEqual([1])
    closeAccountGap(db, 1, { how: 'compared', now: 3 })
    expect(accountsWithGaps(db, { fromUs: 8, toUs: 20 })).toEqual([])
    insertAccountGap(db, item, 4)
    expect(listGaps(db, { limit: 9 }).map(({ state }) => state)).toEqual(['open', 'closed'])
  })

  test('share a row if there are too many', () => {
    db.transaction(() => {
      for (let uid = 1; uid <= OPEN_ACCOUNT_GAPS + 20; uid++) {
        insertAccountGap(db, { uid, cause: 'sync', fromUs: 0, toUs: uid }, 1)
      }
    })()
    expect(gapCounts(db).open).toBe(OPEN_ACCOUNT_GAPS + 1)
    expect(gapsTouching(db, { fromUs: 0, toUs: 1 })).toMatchObject([{ times: 20, did: undefined }])
  })
})
