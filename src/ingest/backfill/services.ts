// Builds the services shared by the jobs of one runner.

import type { Counts } from '../../base/obs/counts.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { Db } from '../../data/store/db.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import type { Hosts } from '../../sources/pds/hosts.ts'
import { createPacedFetch } from '../../sources/pds/paced-fetch.ts'
import { createPdsClient } from '../../sources/pds/pds-client.ts'
import { type ColdStartBudget, UNCOUNTED } from '../indexing/members/cold-start-budget.ts'
import type { Writer } from '../indexing/writer.ts'
import { createApplier } from './applier.ts'
import type { ReplayProgress } from './cold-start.ts'
import { createHandleTurns } from './handle-turns.ts'
import type { BackfillLimits } from './limits.ts'
import type { RepoMirrors } from './mirrors.ts'
import type { Services } from './work.ts'

export type BackfillOptions = {
  db: Db
  writer: Writer
  resolver: Resolver
  fetch: GuardedFetch
  log: Logger
  now?: () => number
  random?: () => number
  /** Counts the items of the member's timeline, up to `limit`; 0 by default. */
  timelineItems?: (uid: number, limit: number) => number
  /** The running replays; without it there is no replaying. */
  replays?: () => readonly ReplayProgress[]
  /** Whether jobs that nobody waits for should leave the thread to the stream; never by default. */
  isCatchingUp?: () => boolean
  limits?: Partial<BackfillLimits>
  /** Keeps the database's log short (upkeep/disk/checkpoints.ts); left to SQLite if not given. */
  tendLog?: () => Promise<void> | undefined
  /** What cold starts may consume at once. */
  coldStarts?: ColdStartBudget
  /** Copies of repositories, for accounts whose own servers are away. */
  mirrors?: RepoMirrors | undefined
  /** Counts the outcomes of records. */
  counts?: Pick<Counts, 'add'>
}

export function createServices(
  options: BackfillOptions,
  made: { limits: BackfillLimits; now: () => number; hosts: Hosts; signal: AbortSignal },
): Services {
  const { db, log, resolver, writer, coldStarts = UNCOUNTED } = options
  const { tendLog = () => undefined } = options
  const { limits, now, signal, hosts } = made
  const { commit } = writer
  const { maxRequests, longestWaitMs, requestTimeoutMs } = limits
  const pace = { hosts, signal, maxRequests, longestWaitMs }
  const fetch = createPacedFetch({ fetch: options.fetch, ...pace })
  const own = createPdsClient({ fetch, signal, timeoutMs: requestTimeoutMs, now })
  const pds = options.mirrors?.clientOver(own, { signal, now }) ?? own
  const apply = createApplier({ writer, counts: options.counts })
  const handles = createHandleTurns(now)
  return {
    db,
    commit,
    apply,
    coldStarts,
    handles,
    pds,
    resolver,
    limits,
    log,
    now,
    signal,
    tendLog,
  }
}
