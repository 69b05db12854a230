import type { Logger } from '../../base/obs/log.ts'
import type { Db } from '../../data/store/db.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { PdsClient } from '../../sources/pds/pds-client.ts'
import type { ColdStartBudget } from '../indexing/members/cold-start-budget.ts'
import type { Writer } from '../indexing/writer.ts'
import type { Applier } from './applier.ts'
import type { HandleTurns } from './handle-turns.ts'
import type { BackfillLimits } from './limits.ts'

export type Services = {
  db: Db
  commit: Writer['commit']
  apply: Applier
  pds: PdsClient
  resolver: Resolver
  limits: BackfillLimits
  coldStarts: ColdStartBudget
  handles: HandleTurns
  log: Logger
  now: () => number
  signal: AbortSignal
  /** Called often, between two transactions; its result must be awaited. */
  tendLog: () => Promise<void> | undefined
}

/**
 * Yields to other work in this thread: live events go first, and the database's log is kept short.
 */
export async function yieldToOthers({ tendLog }: Pick<Services, 'tendLog'>): Promise<void> {
  await tendLog()
  await new Promise((resolve) => setImmediate(resolve))
}
