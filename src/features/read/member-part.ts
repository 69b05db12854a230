// Where a member stopped reading, in their document. Positions mean the same everywhere: they name times and posts.

import type { MemberPart } from '../../base/feature.ts'
import { isoTime, isTimeText } from '../../base/util/iso-time.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { isPosition, isTimeline } from './position-names.ts'
import { positionsOf, restorePosition } from './store/positions.ts'

type Part = { positions: { timeline: string; position: string; updatedAt: string }[] }

export const memberPart: MemberPart = {
  read(db: Db, uid: number): Part | undefined {
    const found = positionsOf(db, uid)
    if (found.length === 0) return undefined
    const positions = found.map(({ updatedAt, ...row }) => ({
      ...row,
      updatedAt: isoTime(updatedAt),
    }))
    return { positions }
  },
  isValid(part: Partial<Part> | null): boolean {
    return Array.isArray(part?.positions) && part.positions.every(isValid)
  },
  write(db: WriteDb, uid: number, { positions }: Part): void {
    for (const { timeline, position, updatedAt } of positions)
      restorePosition(db, { uid, timeline, position, updatedAt: Date.parse(updatedAt) })
  },
  shared: {
    keys: { 'read/position': ({ timeline }: { timeline: string }) => timeline },
    requestsOf: ({ positions }: Part) =>
      positions.map(({ timeline, position, updatedAt }) => ({
        kind: 'read/position',
        body: { timeline, position },
        madeAt: Date.parse(updatedAt),
      })),
  },
}

function isValid(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  const { timeline, position, updatedAt } = item as Record<string, unknown>
  if (typeof timeline !== 'string' || typeof position !== 'string') return false
  return isTimeText(updatedAt) && isTimeline(timeline) && isPosition(position)
}
