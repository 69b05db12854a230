// Quiet hours in a member's document. Devices are not: they are bound to this server's key.

import type { MemberPart } from '../../base/feature.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { readHours, type SpokenHours, spokenHours } from './quiet-hours.ts'
import { findQuietHours, putQuietHours } from './store/quiet-hours.ts'

type Part = { quietHours: SpokenHours }

export const memberPart: MemberPart = {
  read(db: Db, uid: number): Part | undefined {
    const found = findQuietHours(db, uid)
    return found && { quietHours: spokenHours(found) }
  },
  isValid(part: Partial<Part> | null): boolean {
    const hours = part?.quietHours
    return typeof hours === 'object' && hours !== null && typeof readHours(hours) === 'object'
  },
  write(db: WriteDb, uid: number, { quietHours }: Part): void {
    const hours = readHours(quietHours)
    if (typeof hours === 'object') putQuietHours(db, uid, hours)
  },
  shared: {
    keys: { 'push/quiet-hours': () => '' },
    requestsOf: ({ quietHours }: Part) => [
      { kind: 'push/quiet-hours', body: { hours: readHours(quietHours) } },
    ],
  },
}
