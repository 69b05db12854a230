// When a shipper ships: changes each minute, other files each hour, the whole at the start, each night and whenever
// a base is needed, and a trial restore every few days. What fails is said once, and tried again.

import { DAY_MS, HOUR_MS } from '../../../base/util/durations.ts'
import { pause } from '../../../base/util/waits.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import type { Shipper } from './shipper.ts'

type LoopOptions = {
  everyMs: number
  /** 0: none. */
  trialDays: number
  signal: AbortSignal
  /** A whole copy is wanted now. */
  isWanted: () => boolean
  log: {
    info(fields: object, message: string): void
    warn(fields: object, message: string): void
  }
  now?: () => number
  lookMs?: number
}

const LOOK_MS = 1_000
/** After a failed base, and a failed trial. */
const BASE_AGAIN_MS = 60_000
const TRIAL_AGAIN_MS = 10 * 60_000
const NIGHT_HOUR = 3

/** Ends once the signal is given and what is under way is sent. */
export async function shipUntilStopped(shipper: Shipper, options: LoopOptions): Promise<void> {
  const { signal, everyMs, now = Date.now, lookMs = LOOK_MS } = options
  const attempts = createAttempts(shipper, options)
  const night = createNights(now)
  const due = createSchedule(now)
  let isFirst = true
  while (!signal.aborted) {
    shipper.watch()
    if (due('owner', shipper.owner.everyMs / 2)) attempts.start('owner', shipper.owner.claim)
    if (due('changes', everyMs) || shipper.isPressing()) {
      attempts.start('changes', shipper.shipChanges)
    }
    const wantsComplete = isFirst || options.isWanted() || night()
    const isBaseDue = shipper.needsBase() && due('base', BASE_AGAIN_MS)
    if (wantsComplete || isBaseDue || attempts.isDueAgain('whole')) {
      attempts.start('whole', shipper.shipComplete)
    }
    const areFilesDue = due('files', HOUR_MS) && !isFirst
    if (areFilesDue || attempts.isDueAgain('files')) attempts.start('files', shipper.shipFiles)
    if (isTrialDue(shipper, options, now())) {
      const isAgain = attempts.isDueAgain('trial')
      if (due('trial', TRIAL_AGAIN_MS) || isAgain) attempts.start('trial', shipper.tryRestore)
    }
    isFirst = false
    await pause(lookMs, signal)
  }
  await attempts.finish()
  await shipper.owner.release()
}

type Kind = 'owner' | 'changes' | 'whole' | 'files' | 'trial'

/**
 * One attempt of a kind at a time. Where the store was out of reach, the first that reaches it ends the problem for all, and
 * what failed meanwhile is due at once.
 */
function createAttempts(shipper: Shipper, { log, signal, now = Date.now }: LoopOptions) {
  const running = new Map<Kind, Promise<void>>()
  const outOfReach = new Set<Kind>()
  const dueAgain = new Set<Kind>()
  let failedLast: Kind | undefined

  function noteSuccess(kind: Kind): void {
    const isOver = failedLast !== undefined && (failedLast === kind || outOfReach.has(failedLast))
    outOfReach.delete(kind)
    for (const other of outOfReach) dueAgain.add(other)
    outOfReach.clear()
    if (!isOver) return
    failedLast = undefined
    shipper.status.drop('problem')
    log.info({ kind }, 'the off-site backup works again')
  }

  async function attempt(kind: Kind, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      noteSuccess(kind)
    } catch (error) {
      if (signal.aborted) return
      const { message, hint = 'See the log.' } = error as Error & { hint?: string }
      const isNew = shipper.status.now.problem?.message !== message
      failedLast = kind
      if (error instanceof BucketError && error.isPassing) outOfReach.add(kind)
      const { failures } = shipper.status.now
      shipper.status.set({ problem: { at: now(), message, hint }, failures: failures + 1 })
      if (isNew) log.warn({ kind, error: message, fix: hint }, 'the off-site backup failed')
    } finally {
      running.delete(kind)
    }
  }

  return {
    start(kind: Kind, work: () => Promise<void>): void {
      if (!running.has(kind)) running.set(kind, attempt(kind, work))
    },
    /** Once. */
    isDueAgain: (kind: Kind) => dueAgain.delete(kind),
    async finish(): Promise<void> {
      await running.get('changes')
      await attempt('changes', shipper.shipChanges)
    },
  }
}

/** @returns whether so much time has passed since it was last due; first at once */
function createSchedule(now: () => number): (what: string, everyMs: number) => boolean {
  const lastAt = new Map<string, number>()
  return (what, everyMs) => {
    const last = lastAt.get(what)
    // A clock that was set back delays nothing.
    if (last !== undefined && now() >= last && now() - last < everyMs) return false
    lastAt.set(what, now())
    return true
  }
}

/** @returns once each night, whether it has begun */
function createNights(now: () => number): () => boolean {
  const nightOf = () =>
    Math.floor(
      (now() - new Date(now()).getTimezoneOffset() * 60_000 - NIGHT_HOUR * HOUR_MS) / DAY_MS,
    )
  let last = nightOf()
  return () => {
    const isNew = nightOf() !== last
    last = nightOf()
    return isNew
  }
}

function isTrialDue(shipper: Shipper, { trialDays }: LoopOptions, now: number): boolean {
  const { trial, stateAt } = shipper.status.now
  if (trialDays === 0 || stateAt === undefined || shipper.needsBase()) return false
  return !trial?.ok || now - trial.at > trialDays * DAY_MS
}
