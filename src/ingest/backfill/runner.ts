// Runs the job queue against other servers, beside live ingest and in its thread. Jobs are leased into a
// window, most urgent first, and started as their hosts have room; jobs unfinished at exit run again, and all
// are idempotent. Every job first locates its account's repository (IDENTITY_HOST), unless that was looked up
// lately, then moves on to that PDS. A PDS that does not know the account is believed only after the
// directory was asked again.

import { setMaxListeners } from 'node:events'
import { mayBeTheirs } from '../../base/util/assert.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { createGate } from '../../base/util/gate.ts'
import type { ColdStartProgress } from '../../bridge/messages.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { jobPriority } from '../../data/store/fetching/job-kinds.ts'
import { demoteJob, jobTarget, postponeJob } from '../../data/store/fetching/job-schedule.ts'
import {
  bringJobsForward,
  failJob,
  finishJob,
  type Job,
  releaseJobs,
  takeJobs,
} from '../../data/store/fetching/jobs.ts'
import { accountRepairing, bringGapsForward } from '../../data/store/stream/gap-repair.ts'
import { createHosts, type Hosts, IDENTITY_HOST } from '../../sources/pds/hosts.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import { watchClock } from './clock-watch.ts'
import { createHeldJobs, type HeldJobs } from './held-jobs.ts'
import { identify, locate, stateOfUnknown } from './identify.ts'
import { createJobWindow, hostFor, type WaitingJob } from './job-window.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { createMirrors, type Mirrors } from './mirrors.ts'
import { perform } from './perform.ts'
import { createProgress, type Progress } from './progress.ts'
import type { RepoJobResult } from './repo-jobs.ts'
import { type BackfillOptions, createServices } from './services.ts'
import { isGapRepair, leaveGap, settleGap } from './settle-gap.ts'
import { createSlowLane, type SlowLane } from './slow-lane.ts'
import { noteLoaded } from './within-budget.ts'
import type { Services } from './work.ts'

export type Backfill = {
  start(): void
  /** Resolves when no job runs any more. */
  stop(): Promise<void>
  /** Polls the queue soon, since jobs that somebody waits for may have been queued. */
  wake(): void
  /** Running cold starts, and recently finished ones. */
  coldStarts(): ColdStartProgress[]
}

const POLL_MS = 250
/** Shortest time between two looks at the queue. */
const WAKE_MS = 20
const PROGRESS_EVERY_MS = 250
const REFILL_JOBS = 256
/** Jobs taken beyond the window at each poll, so that a full window never keeps urgent jobs out. */
const URGENT_JOBS = 32
const HOST_BUSY_MS = 1_000
/** A host that must be left alone for longer than this gives up its places in the window. */
const SHORT_WAIT_MS = 3_000
const DEFAULT_RETRY_MS = MINUTE_MS
/** How often a listing is read again because of records that do not hash to their CIDs. */
const TRIES_FOR_CIDS = 3
/** Divides the number of concurrent jobs while a replay runs. */
const REPLAY_SHARE = 4
const REPLAY_FIRST_MS = MINUTE_MS
/** Jobs that nobody waits for running at once, and started at each poll, while the stream catches up. */
const BESIDE_CATCHING_UP = 8
/** After all other jobs for an author. */
const SPARE_PRIORITY = jobPriority.records + 1

export function createBackfill(options: BackfillOptions): Backfill {
  return new Runner(options)
}

class Runner implements Backfill {
  readonly #services: Services
  readonly #hosts: Hosts
  readonly #progress: Progress
  readonly #mayCheckProgress: () => boolean
  readonly #isReplaying: () => boolean
  readonly #clockWentBack: () => number
  readonly #slowLane: SlowLane
  readonly #isCatchingUp: () => boolean
  readonly #mirrors: Mirrors
  /** How many jobs that nobody waits for may still start before the next poll. */
  #unhurriedLeft = 0
  #replayingSince: number | undefined
  readonly #window = createJobWindow()
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #held: HeldJobs
  #timer: NodeJS.Timeout | undefined
  #isStarted = false
  /** The next poll is scheduled soon. */
  #isWaking = false
  /** The last query found no more due jobs in the database. */
  #isDry = false

  constructor(options: BackfillOptions) {
    const { now = Date.now, random = Math.random } = options
    const limits = { ...DEFAULT_LIMITS, ...options.limits }
    this.#clockWentBack = watchClock(now)
    const { signal } = this.#stopping
    setMaxListeners(0, signal) // one listener per request, bounded by `maxJobs`
    this.#hosts = createHosts({ limits, now, random })
    this.#services = createServices(options, { limits, now, hosts: this.#hosts, signal })
    this.#held = createHeldJobs(now)
    this.#mirrors = createMirrors(options.mirrors?.origins ?? [], this.#hosts)
    this.#slowLane = createSlowLane(this.#services)
    const { timelineItems = () => 0, isCatchingUp = () => false, replays } = options
    this.#isCatchingUp = isCatchingUp
    this.#isReplaying = () => (replays?.().length ?? 0) > 0
    this.#mayCheckProgress = createGate(PROGRESS_EVERY_MS, now)
    this.#progress = createProgress({
      ...this.#services,
      timelineItems,
      replays,
      mirrorOf: this.#mirrors.readFor,
    })
  }

  start(): void {
    this.#isStarted = true
    this.#services.commit(({ db }) => releaseJobs(db, this.#services.now()))
    this.#poll()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await Promise.all(this.#running)
  }

  wake(): void {
    if (!this.#isStarted || this.#isWaking) return
    this.#isWaking = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#poll(), WAKE_MS)
  }

  coldStarts(): ColdStartProgress[] {
    return this.#progress.status()
  }

  #poll(): void {
    clearTimeout(this.#timer)
    this.#isWaking = false
    if (this.#stopping.signal.aborted) return
    const { limits } = this.#services
    void this.#services.tendLog() // also after writers here that don't wait
    this.#bearClock()
    this.#slowLane.advance()
    this.#isDry = false
    this.#unhurriedLeft = BESIDE_CATCHING_UP - this.#running.size
    if (this.#window.size < limits.windowJobs * 2) this.#refill(URGENT_JOBS)
    this.#pump()
    if (this.#mayCheckProgress()) this.#progress.check()
    this.#timer = setTimeout(() => this.#poll(), POLL_MS)
  }

  #bearClock(): void {
    const { commit, log } = this.#services
    const byMs = this.#clockWentBack()
    if (byMs === 0) return
    const figures = { byMs: Math.round(byMs) }
    log.warn(figures, 'the clock was set back: waiting no longer than before')
    this.#hosts.bringForward(byMs)
    commit(({ db }) => {
      bringJobsForward(db, byMs)
      bringGapsForward(db, byMs)
    })
  }

  #pump(): void {
    if (this.#stopping.signal.aborted) return
    const { limits } = this.#services
    if (this.#window.size < limits.windowJobs / 2 && !this.#isDry) this.#refill(REFILL_JOBS)
    while (this.#running.size < this.#bound()) {
      const next = this.#window.take(this.#hosts.hasCapacity, this.#leastUrgent())
      if (!next) return
      if (next.job.priority >= jobPriority.identity) this.#unhurriedLeft -= 1
      const work = this.#run(next).finally(() => {
        this.#running.delete(work)
        this.#pump()
      })
      this.#running.add(work)
    }
  }

  /**
   * Most concurrent jobs; fewer during a replay, whose records come first and use the same thread.
   */
  #bound(): number {
    const { maxJobs } = this.#services.limits
    return this.#isReplaying() ? Math.ceil(maxJobs / REPLAY_SHARE) : maxJobs
  }

  /**
   * For a while, only feeds and jobs that a client waits for run beside a replay; while the stream
   * catches up, hardly any others.
   */
  #leastUrgent(): number {
    const now = this.#services.now()
    this.#replayingSince = this.#isReplaying() ? (this.#replayingSince ?? now) : undefined
    const isHeld =
      this.#replayingSince !== undefined && now - this.#replayingSince < REPLAY_FIRST_MS
    const isCrowded = this.#unhurriedLeft <= 0 && this.#isCatchingUp()
    return Math.min(
      isHeld ? jobPriority.follows - 1 : Number.POSITIVE_INFINITY,
      isCrowded ? jobPriority.identity - 1 : Number.POSITIVE_INFINITY,
      this.#held.leastUrgent(),
    )
  }

  #refill(count: number): void {
    const { commit, now } = this.#services
    commit(({ db }) => {
      const jobs = takeJobs(db, now(), count)
      this.#isDry = jobs.length < count
      for (const job of jobs) {
        if (this.#held.has(job)) this.#window.hurry(job)
        else this.#admit(db, job)
      }
    })
  }

  /** Adds the job to the window, or returns it to the database if its host has no place there. */
  #admit(db: WriteDb, job: Job): void {
    const { limits, now } = this.#services
    const target = jobTarget(db, job)
    if (!target) {
      finishJob(db, job)
      return
    }
    if (job.kind === 'member') this.#progress.memberStarted(target.uid)
    const own = hostFor(job, target, now() - limits.identityMaxAgeMs)
    const isAway = own !== IDENTITY_HOST && this.#hosts.waitMs(own) > SHORT_WAIT_MS
    const host = (isAway && this.#mirrors.insteadOf(own, job)) || own
    const isFull = this.#window.sizeOf(host) >= limits.windowPerHost
    const waitMs = this.#hosts.waitMs(host, target.did)
    if (waitMs > SHORT_WAIT_MS) postponeJob(db, job, now() + waitMs)
    else if (isFull && host !== IDENTITY_HOST) postponeJob(db, job, now() + HOST_BUSY_MS)
    else this.#hold({ job, target, host, isRechecked: false })
  }

  #hold(waiting: WaitingJob): void {
    this.#held.add(waiting.job)
    this.#window.add(waiting)
  }

  async #run(waiting: WaitingJob): Promise<void> {
    const { job, host } = waiting
    this.#hosts.enter(host)
    let onwards: WaitingJob | undefined
    try {
      await this.#services.tendLog()
      onwards = host === IDENTITY_HOST ? await this.#lookUp(waiting) : await this.#read(waiting)
    } catch (error) {
      onwards = await this.#recover(waiting, this.#asTheirs(error, job))
    } finally {
      this.#hosts.leave(host)
      this.#held.delete(job)
    }
    if (onwards && !this.#stopping.signal.aborted) this.#hold(onwards)
    if (this.#hosts.waitMs(host) > SHORT_WAIT_MS) this.#giveUpPlaces(host)
  }

  /** @returns the job on its way to the account's PDS */
  async #lookUp(waiting: WaitingJob): Promise<WaitingJob | undefined> {
    const { job, target } = waiting
    if (job.kind === 'identity') {
      await identify(this.#services, target)
      return this.#finish(job)
    }
    const repo = await locate(this.#services, target, { isThere: job.kind === 'member' })
    const why = 'the directory names no PDS of it'
    return repo ? { ...waiting, host: repo.pds } : this.#abandon(waiting, why)
  }

  async #read(waiting: WaitingJob): Promise<undefined> {
    const { job, target, host } = waiting
    if (this.#canWait(job)) {
      this.#services.commit(({ db }) => demoteJob(db, job, SPARE_PRIORITY))
      return
    }
    if (job.kind === 'repo') this.#services.commit(({ db }) => accountRepairing(db, target.uid))
    const leavesOutMismatched = job.attempts >= TRIES_FOR_CIDS
    const isMirror = this.#mirrors.note(waiting)
    const { uid, did } = target
    const repo = { uid, did, pds: host, leavesOutMismatched, isMirror }
    return this.#finish(job, await perform(this.#services, job, repo))
  }

  /** Whether this is a feed that no timeline needs now, read only for the author's page. */
  #canWait({ kind, subject, priority }: Job): boolean {
    return kind === 'feed' && priority === jobPriority.feed && this.#progress.isFeedSpare(subject)
  }

  #finish(job: Job, result?: RepoJobResult, why?: string): undefined {
    const { commit, log, now } = this.#services
    commit(({ db }) => {
      if (finishJob(db, job)) settleGap(db, job, { now: now(), result, why })
      if (result) noteLoaded(db, job, result, now())
    })
    log.debug({ ...job, ...result }, 'job done')
  }

  /** @returns the job if it is to be tried elsewhere at once */
  async #recover(waiting: WaitingJob, error: PdsError): Promise<WaitingJob | undefined> {
    const { commit, now } = this.#services
    const { job } = waiting
    const mirror = this.#mirrors.after(waiting, error)
    if (mirror) return { ...waiting, host: mirror }
    switch (error.reason) {
      case 'stopped':
        return undefined
      case 'too-early':
      case 'rate-limited':
        commit(({ db }) => postponeJob(db, job, now() + (error.retryAfterMs ?? DEFAULT_RETRY_MS)))
        return undefined
      case 'gone':
        return waiting.isRechecked
          ? this.#abandon(waiting, error.message, error)
          : this.#recheck(waiting, error)
      default:
        return this.#fail(job, error)
    }
  }

  /** @throws errors that are not the server's fault */
  #asTheirs(error: unknown, job: Job): PdsError {
    if (error instanceof PdsError) return error
    if (!mayBeTheirs(error)) throw error
    this.#services.log.error({ err: error, ...job }, 'unexpected: an answer could not be parsed')
    return new PdsError('bad-answer', `unforeseen: ${(error as Error).message}`)
  }

  /** Looks the account up again, since the PDS does not have it (any more): perhaps it moved. */
  async #recheck(waiting: WaitingJob, gone: PdsError): Promise<WaitingJob | undefined> {
    try {
      const repo = await locate(this.#services, waiting.target, { forceRefresh: true })
      if (repo && repo.pds !== waiting.host)
        return { ...waiting, host: repo.pds, isRechecked: true }
      return this.#abandon(waiting, gone.message, repo ? await this.#stateOf(repo, gone) : gone)
    } catch (error) {
      return this.#fail(waiting.job, this.#asTheirs(error, waiting.job))
    }
  }

  /** Not every method of a PDS says why a repository is missing; this one does. */
  async #stateOf(repo: RepoTarget, gone: PdsError): Promise<PdsError> {
    if (gone.accountStatus) return gone
    try {
      await this.#services.pds.getLatestRev(repo)
      return gone
    } catch (error) {
      if (!(error instanceof PdsError) || error.reason !== 'gone') throw error
      const { message, accountStatus } = error
      return accountStatus ? error : new PdsError('gone', message, { isUnknown: true })
    }
  }

  #fail(job: Job, error: PdsError): undefined {
    const { commit, log, now } = this.#services
    const { message, retryAfterMs } = error
    // Ends the wait for this job; the author's other jobs load the same records.
    if (job.kind === 'latest') return this.#finish(job)
    commit(({ db }) => {
      const verdict = failJob(db, job, { error: message, now: now(), retryAfterMs })
      if (verdict === 'gave-up') leaveGap(db, job, now())
      log.debug({ ...job, verdict, error: message }, 'job failed')
    })
  }

  /** Ends a job that has no server to ask. */
  #abandon({ job, target }: WaitingJob, why: string, error?: PdsError): undefined {
    const { apply, db, log } = this.#services
    const status = error?.accountStatus ?? (error && stateOfUnknown(db, job))
    if (status) apply.status(target.did, status)
    if (error?.isUnknown && isGapRepair(job)) apply.notFound(target.uid)
    if (job.kind === 'post') apply.missing(job.subject)
    if (job.kind === 'member') log.warn({ member: target.did, why }, 'cold start impossible')
    this.#finish(job, undefined, why)
  }

  #giveUpPlaces(host: string): void {
    const { commit, now } = this.#services
    const until = now() + this.#hosts.waitMs(host)
    commit(({ db }) => {
      for (const { job } of this.#window.drop(host)) {
        this.#held.delete(job)
        postponeJob(db, job, until)
      }
    })
  }
}
