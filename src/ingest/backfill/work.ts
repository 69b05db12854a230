// What every job of this room works with.

import type { Logger } from '../../base/obs/log.ts'
import type { Db } from '../../data/store/db.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { PdsClient } from '../../sources/pds/pds-client.ts'
import type { ColdStartBudget } from '../indexing/cold-start-budget.ts'
import type { Applier } from './applier.ts'
import type { BackfillLimits } from './limits.ts'

export type Services = {
  db: Db
  apply: Applier
  pds: PdsClient
  resolver: Resolver
  limits: BackfillLimits
  coldStarts: ColdStartBudget
  log: Logger
  now: () => number
  signal: AbortSignal
}

/** Lets what waits in this thread run: live events come first. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
