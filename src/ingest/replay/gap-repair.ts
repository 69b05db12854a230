// Closes the gaps of the stream and handles those of accounts, one after the other, with lower priority than
// any work that members wait for. All state is in rows (data/store/stream/gaps.ts), so a repair survives restarts.
// While the disk is full it waits, like the main stream.

import { HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { isAnyJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob } from '../../data/store/fetching/jobs.ts'
import {
  absorbGap,
  accountsToRepair,
  closeGap,
  compareGap,
  putOffGap,
  setGapStep,
} from '../../data/store/stream/gap-repair.ts'
import { type Gap, openAccountGap, streamGaps } from '../../data/store/stream/gaps.ts'
import { noRetry, type WriteRetry } from '../../data/store/write-retry.ts'
import type { GapLimits, GapRepairContext } from './gap-context.ts'
import { type GapRun, type GapRunEnd, startGapRun } from './gap-run.ts'
import { type Circle, sweep } from './gap-sweep.ts'
import { defaultReplayLimits } from './limits.ts'

export type GapRepairOptions = Omit<GapRepairContext, 'limits' | 'isBusy' | 'writeRetry'> & {
  /** Members and authors. */
  circle: Circle
  /** Called when jobs were queued. */
  onJobs: () => void
  writeRetry?: WriteRetry
  limits?: Partial<GapLimits>
}

export type GapRepair = {
  start(): void
  /** Resolves when all sockets are closed. */
  stop(): Promise<void>
}

const ACCOUNTS_AT_ONCE = 50
const LOST: Gap['cause'] = 'host-switch'

const { slice, overlapMs, silentMs, giveUpMs } = defaultReplayLimits
const DEFAULTS: GapLimits = {
  slice,
  overlapMs,
  silentMs,
  giveUpMs,
  longestMs: 6 * HOUR_MS,
  retryMs: 5 * MINUTE_MS,
  windowMs: 72 * HOUR_MS,
  lookEveryMs: 1_000,
}

/**
 * Replays a stream gap if any host's window reaches back to its start: from the first such host, or
 * else from the one that reaches back furthest. A part that no host has any more is repaired by
 * comparing repositories, author by author (gap-sweep.ts). Since a replay runs up to the present
 * anyway, one replay repairs all gaps open when it begins, starting at the oldest. A host that lost
 * events can't replay them: it is tried last, and what it replays is compared as well.
 */
export function createGapRepair(options: GapRepairOptions): GapRepair {
  return new Repair(options)
}

class Repair implements GapRepair {
  readonly #context: GapRepairContext
  readonly #circle: Circle
  readonly #onJobs: () => void
  #timer: NodeJS.Timeout | undefined
  #run: GapRun | undefined
  #replaying: Promise<void> | undefined
  #isStopped = false

  constructor(options: GapRepairOptions) {
    const { db, circle, onJobs, writeRetry = noRetry } = options
    const limits = { ...DEFAULTS, ...options.limits }
    this.#context = { ...options, limits, writeRetry, isBusy: () => isAnyJobWaiting(db, 'member') }
    this.#circle = circle
    this.#onJobs = onJobs
  }

  start(): void {
    const { limits, writeRetry } = this.#context
    const look = () => void writeRetry.ifThereIsSpace(() => this.#look())
    this.#timer = setInterval(look, limits.lookEveryMs)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#run?.stop()
    await this.#replaying
  }

  #look(): void {
    const { db, writer, log, now } = this.#context
    this.#repairAccounts()
    const due = streamGaps(db, now())
    const toReplay = due.filter(({ step }) => step !== 'compare')
    if (toReplay.length > 0) {
      this.#replaying ??= this.#replay(toReplay).finally(() => {
        this.#replaying = undefined
      })
    }
    if (toReplay.length === due.length) return
    const at = { circle: this.#circle, log, now: now() }
    if (writer.commit((ctx) => sweep(ctx.db, at))) this.#onJobs()
  }

  /** Accounts whose server was away for long, or whose job an older version lost. */
  #repairAccounts(): void {
    const { writer, now } = this.#context
    const uids = accountsToRepair(this.#context.db, now(), ACCOUNTS_AT_ONCE)
    if (uids.length === 0) return
    writer.commit(({ db }) => {
      for (const uid of uids) {
        if (uid !== 0) enqueueJob(db, 'repo', uid)
        else if (!isAnyJobWaiting(db, 'repo')) {
          closeGap(db, openAccountGap(db, 0)!, { how: 'compared', now: now() })
        }
      }
    })
    this.#onJobs()
  }

  async #replay(gaps: Gap[]): Promise<void> {
    const { writer, log, now, writeRetry, stream } = this.#context
    const gap = await writeRetry.retry(() => writer.commit(({ db }) => unite(db, gaps, now())))
    if (!gap) return
    const forgetful = hostsThatLost(gaps)
    const { id, cause, fromUs, toUs } = gap
    log.info({ gap: id, cause, fromUs, toUs, goesOn: gap.reached > 0 }, 'gap repair begun')
    const end = await this.#replayFromAny(gap, forgetful)
    if (end?.how === 'stopped' || this.#isStopped) return
    const isComplete = end?.how === 'met' && !forgetful.has(end.host)
    const ended = { gap, end, isComplete, isNowhere: stream.hosts.length === 0 }
    await writeRetry.retry(() => writer.commit(({ db }) => settle(db, this.#context, ended)))
  }

  /** Tries the first host that reaches back, or else the furthest. @returns undefined: no host. */
  async #replayFromAny(gap: Gap, forgetful: ReadonlySet<string>): Promise<GapRunEnd | undefined> {
    const clamped: GapRunEnd[] = []
    const all = this.#context.stream.hosts
    const hosts = [...all].sort((a, b) => Number(forgetful.has(a)) - Number(forgetful.has(b)))
    for (const host of hosts) {
      const end = await this.#attempt(gap, { host, takesWindow: false })
      if (end.how === 'clamped') clamped.push(end)
      else if (end.how !== 'failed') return end
    }
    const [furthest] = clamped.sort((a, b) => a.windowUs! - b.windowUs!)
    if (!furthest || furthest.windowUs! >= gap.toUs) return furthest
    return this.#attempt(gap, { host: furthest.host, takesWindow: true })
  }

  async #attempt(gap: Gap, from: { host: string; takesWindow: boolean }): Promise<GapRunEnd> {
    if (this.#isStopped) {
      return { how: 'stopped', host: from.host, events: 0, unreadable: 0, windowUs: undefined }
    }
    this.#run = startGapRun(this.#context, gap, from)
    const end = await this.#run.ended
    this.#run = undefined
    return end
  }
}

/** Hosts whose own sequence numbers show that they lost events. */
function hostsThatLost(gaps: readonly Gap[]): ReadonlySet<string> {
  const lost = gaps.filter(({ cause }) => cause === LOST)
  return new Set(lost.flatMap(({ host }) => host ?? []))
}

function settle(
  db: WriteDb,
  { log, now, limits }: GapRepairContext,
  {
    gap,
    end,
    isComplete,
    isNowhere,
  }: { gap: Gap; end: GapRunEnd | undefined; isComplete: boolean; isNowhere: boolean },
): void {
  const { id, toUs } = gap
  const isTooOld = isNowhere || toUs < (now() - limits.windowMs) * 1000
  if (end?.how === 'met' && isComplete) {
    const note = end.unreadable > 0 ? `${end.unreadable} frames can't be read` : undefined
    closeGap(db, id, { how: `replayed from ${end.host}`, note, now: now() })
    log.info({ gap: id, ...end }, 'gap closed by a replay')
  } else if (end?.how === 'met' || end?.how === 'silent' || end?.how === 'clamped' || isTooOld) {
    compareGap(db, id)
    log.warn({ gap: id, ...end }, 'no host has the whole gap: comparing repositories')
  } else {
    putOffGap(db, id, now() + limits.retryMs)
    log.warn({ gap: id, ...end }, 'no host available for gap repair')
  }
}

/**
 * Merges all gaps to replay into one: the gap whose host lost events, which a restart must not
 * forget, or else the oldest. The progress of an earlier repair is kept only if no other gap begins
 * earlier.
 */
function unite(db: WriteDb, gaps: Gap[], now: number): Gap {
  const first = gaps.find(({ cause }) => cause === LOST) ?? gaps[0]
  const others = gaps.filter((gap) => gap !== first)
  const fromUs = Math.min(...gaps.map((gap) => gap.fromUs))
  const toUs = Math.max(...gaps.map((gap) => gap.toUs))
  const reached = fromUs < first!.fromUs ? 0 : first!.reached
  for (const { id } of others) absorbGap(db, first!.id, { id, now })
  setGapStep(db, first!.id, { step: 'replay', reached })
  const cause = gaps.find((gap) => gap.cause === 'dropped-frame')?.cause ?? first!.cause
  return { ...first!, cause, fromUs, toUs, reached }
}
