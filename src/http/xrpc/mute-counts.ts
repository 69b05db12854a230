// How many accounts and threads a member mutes: there is an end to both.

import type { Db } from '../../data/store/db.ts'
import { countMutes } from '../../data/store/mutes.ts'
import { countThreadMutes } from '../../data/store/thread-mutes.ts'

export function createMuteCounts(db: Db) {
  return {
    accounts: (uid: number) => countMutes(db, uid),
    threads: (uid: number) => countThreadMutes(db, uid),
  }
}
