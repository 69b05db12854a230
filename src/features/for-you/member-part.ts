// Of whom a member wants less, in their document. What they have seen is not: it says what this server chose.

import { isValidDid } from '@atproto/syntax'
import type { MemberPart } from '../../base/feature.ts'
import { isoTime, isTimeText } from '../../base/util/iso-time.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { lessByDid, MOST_TIMES, putLess } from './store/readers.ts'

type Part = { less: { did: string; times: number; createdAt: string }[] }

export const memberPart: MemberPart = {
  read(db: Db, uid: number): Part | undefined {
    const less = lessByDid(db, uid).map(({ at, ...row }) => ({ ...row, createdAt: isoTime(at) }))
    return less.length === 0 ? undefined : { less }
  },
  isValid(part: Partial<Part> | null): boolean {
    return Array.isArray(part?.less) && part.less.every(isValid)
  },
  write(db: WriteDb, uid: number, { less }: Part, uidOf: (did: string) => number): void {
    for (const { did, times, createdAt } of less)
      putLess(db, { uid, author: uidOf(did), times, at: Date.parse(createdAt) })
  },
  shared: {
    keys: { 'for-you/less': ({ author }: { author: string }) => author },
    requestsOf: ({ less }: Part) =>
      less.map(({ did, times, createdAt }) => ({
        kind: 'for-you/less',
        body: { author: did, times },
        madeAt: Date.parse(createdAt),
      })),
  },
}

function isValid(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  const { did, times, createdAt } = item as Record<string, unknown>
  const isCount = Number.isInteger(times) && Number(times) >= 1 && Number(times) <= MOST_TIMES
  return typeof did === 'string' && isValidDid(did) && isCount && isTimeText(createdAt)
}
