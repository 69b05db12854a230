// What every job of this room works with.

import type { Resolver } from '../identity/resolver.ts'
import type { ColdStartBudget } from '../indexing/cold-start-budget.ts'
import type { Logger } from '../obs/log.ts'
import type { Db } from '../store/db.ts'
import type { Applier } from './applier.ts'
import type { BackfillLimits } from './limits.ts'
import type { PdsClient } from './pds-client.ts'

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
