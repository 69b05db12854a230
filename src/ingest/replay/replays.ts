// Fetches the recent past of accounts that became relevant. They are queued in a table, in the transaction
// that made them relevant, until those added together have gathered; then one replay takes all, up to a
// socket's limit, and some replays run at once. Where a replay is not certain to be complete (the host's
// window is shorter, no host is available, or too few accounts wait), a job `recent` reads each account from
// its server.

import type { Logger } from '../../base/obs/log.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { isAnyJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob } from '../../data/store/fetching/jobs.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { statusOf } from '../../data/store/records/status.ts'
import {
  accountsOfReplay,
  accountsWaiting,
  allReplays,
  createReplay,
  deleteReplay,
  type Replay,
  requestedReplays,
  unwantReplay,
} from '../../data/store/stream/replays.ts'
import { noRetry, type WriteRetry } from '../../data/store/write-retry.ts'
import type { Writer } from '../indexing/writer.ts'
import { defaultReplayLimits, type ReplayLimits } from './limits.ts'
import {
  type ReplayContext,
  type ReplayEnd,
  type ReplayRun,
  type StreamSettings,
  startReplayRun,
} from './run.ts'
import type { StreamHead } from './stream-head.ts'

type ReplaysOptions = Omit<ReplayContext, 'limits' | 'onApplied' | 'writeRetry'> & {
  writer: Writer
  stream: StreamSettings
  onApplied?: ReplayContext['onApplied']
  writeRetry?: WriteRetry
  /**
   * The main stream's position; undefined if it has never received anything. `wait` while its
   * filters do not cover the current accounts yet.
   */
  head: () => StreamHead | undefined | 'wait'
  /** Called when jobs were queued. */
  onJobs: () => void
  limits?: Partial<ReplayLimits>
}

export type Replays = {
  /** Resumes the replays of a stopped process. */
  start(): void
  /** Resolves when all sockets are closed. */
  stop(): Promise<void>
  /** The replays in progress. */
  running(): RunningReplay[]
}

type RunningReplay = {
  id: number
  accounts: number
  /** Microseconds of stream time: the start, and the position reached. */
  fromUs: number
  reachedUs: number | undefined
}

const LOOK_EVERY_MS = 250
/** Jetstream is not read. */
const NOWHERE: ReplayEnd = { how: 'failed', events: 0, windowUs: undefined }

export function createReplays(options: ReplaysOptions): Replays {
  const { db, writer, log, now, head, writeRetry = noRetry } = options
  const limits = { ...defaultReplayLimits, ...options.limits }
  const context: ReplayContext = { onApplied: () => undefined, ...options, writeRetry, limits }
  const runs = new Map<number, { run: ReplayRun; replay: Replay; accounts: number }>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const isGathered = createGathering(context)
  const isNowhere = options.stream.hosts.length === 0

  function look(): void {
    const waiting = requestedReplays(db)
    if (!isGathered(waiting)) return
    if (isNowhere || waiting.count < limits.minAccounts) {
      writer.commit((ctx) => askServers(ctx.db, Math.max(waiting.count, limits.minAccounts)))
      return options.onJobs()
    }
    if (runs.size >= limits.maxSockets) return
    const at = head()
    if (at === 'wait') return
    const fromUs = (now() - limits.recentMs) * 1000
    const request = { fromUs, now: now(), limit: limits.accountsPerSocket }
    const replay = writer.commit((ctx) => createReplay(ctx.db, request))
    if (replay) begin(replay, at)
  }

  function begin(replay: Replay, at: StreamHead | undefined): void {
    const accounts = accountsByDid(db, replay.id)
    if (accounts.size === 0) return forget(context, replay)
    const { id, fromUs, cursor } = replay
    const run = startReplayRun(context, replay, { accounts, head: at })
    runs.set(id, { run, replay, accounts: accounts.size })
    log.info({ replay: id, accounts: accounts.size, fromUs, goesOn: !!cursor }, 'replay begun')
    void run.ended.then((end) => finish(replay, end))
  }

  async function finish(replay: Replay, end: ReplayEnd): Promise<void> {
    runs.delete(replay.id)
    if (end.how === 'stopped') return
    const accounts = await writeRetry.retry(() =>
      writer.commit((ctx) => settle(ctx.db, replay, end)),
    )
    if (accounts === undefined) return
    const seconds = Math.round((now() - replay.startedAt) / 100) / 10
    tellEnd(log, { replay: replay.id, accounts, ...end, seconds })
    options.onJobs()
    if (!isStopped) lookIfThereIsSpace()
  }

  const lookIfThereIsSpace = () => void writeRetry.ifThereIsSpace(look)

  return {
    start() {
      const at = head()
      for (const replay of allReplays(db)) {
        if (isNowhere) void finish(replay, NOWHERE)
        else begin(replay, at === 'wait' ? undefined : at)
      }
      timer = setInterval(lookIfThereIsSpace, LOOK_EVERY_MS)
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      const all = [...runs.values()].map(({ run }) => run)
      for (const run of all) run.stop()
      await Promise.all(all.map(({ ended }) => ended))
    },
    running: () =>
      [...runs.values()].map(({ run, replay, accounts }) => ({
        id: replay.id,
        accounts,
        fromUs: replay.fromUs,
        reachedUs: run.reachedUs(),
      })),
  }
}

function accountsByDid(db: Db, replay: number): Map<string, number> {
  const accounts = new Map<string, number>()
  for (const uid of accountsOfReplay(db, replay)) {
    const did = findActor(db, uid)?.did
    if (did !== undefined) accounts.set(did, uid)
  }
  return accounts
}

function tellEnd(log: Logger, figures: ReplayEnd & Record<string, unknown>): void {
  if (isComplete(figures)) log.info(figures, 'replay done')
  else log.warn(figures, 'replay incomplete: the rest is read from the accounts’ servers')
}

function isComplete({ how, windowUs }: ReplayEnd): boolean {
  return how === 'met' && windowUs === undefined
}

/** Drops a replay that has no accounts left. */
function forget({ writer, writeRetry }: ReplayContext, { id }: Replay): void {
  writeRetry.ifThereIsSpace(() => writer.commit(({ db }) => deleteReplay(db, id)))
}

/** @returns the number of its accounts, without those wanted again meanwhile. */
function settle(db: WriteDb, { id }: Replay, end: ReplayEnd): number {
  const uids = accountsOfReplay(db, id)
  deleteReplay(db, id)
  if (!isComplete(end)) {
    const isThere = (uid: number) => statusOf(findActor(db, uid)?.status ?? 0) !== 'deleted'
    for (const uid of uids.filter(isThere)) enqueueJob(db, 'recent', uid)
  }
  return uids.length
}

/** Reads the accounts from their servers instead of a replay. */
function askServers(db: WriteDb, limit: number): void {
  for (const uid of accountsWaiting(db, limit)) {
    unwantReplay(db, uid)
    enqueueJob(db, 'recent', uid)
  }
}

/**
 * Tells whether no more accounts are about to be added, as a follow list being read adds more, and
 * no newcomer's first page is being read, which a replay would take the thread from.
 */
function createGathering({ db, now, limits }: Pick<ReplayContext, 'db' | 'now' | 'limits'>) {
  let latestAt = Number.NEGATIVE_INFINITY

  /** The newest posts of a newcomer's follows are read, or what it takes to show these. */
  function isFirstPageDue(): boolean {
    const isWaiting = isAnyJobWaiting(db, 'latest')
    if (isWaiting) latestAt = now()
    return isWaiting || now() - latestAt < limits.firstPageMs
  }

  return ({ count, since }: { count: number; since: number | undefined }): boolean => {
    if (since === undefined) return false
    const isHeld = isFirstPageDue()
    if (count >= limits.accountsPerSocket) return true
    const waitedMs = now() - since
    if (waitedMs >= limits.longestGatherMs) return true
    if (waitedMs < limits.gatherMs || isAnyJobWaiting(db, 'member')) return false
    return waitedMs >= limits.latestGatherMs || !isHeld
  }
}
