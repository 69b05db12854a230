// The jobs taken from the database that wait to run, by host, so that finding the next one does not scan jobs
// of busy hosts.

import type { JobTarget } from '../../data/store/fetching/job-schedule.ts'
import { type Job, keyOf } from '../../data/store/fetching/jobs.ts'
import { IDENTITY_HOST } from '../../sources/pds/hosts.ts'

export type WaitingJob = {
  job: Job
  target: JobTarget
  /** Origin of the PDS, or the stand-in for the directory. */
  host: string
  /** The account's identity was looked up again after its PDS did not know it. */
  isRechecked: boolean
}

type JobWindow = {
  readonly size: number
  sizeOf(host: string): number
  add(waiting: WaitingJob): void
  /** Moves a waiting job forward if it has become more urgent. */
  hurry(job: Job): void
  /**
   * Takes the most urgent job among hosts that have room, if it is urgent enough; ties go to the
   * first added.
   */
  take(hasCapacity: (host: string) => boolean, leastUrgent?: number): WaitingJob | undefined
  /** Takes out every job of this host. */
  drop(host: string): WaitingJob[]
}

type Numbered = WaitingJob & { order: number }

export function createJobWindow(): JobWindow {
  const queues = new Map<string, Numbered[]>()
  const waitingJobs = new Map<string, Numbered>()
  let size = 0
  let lastOrder = 0

  return {
    get size() {
      return size
    },
    sizeOf: (host) => queues.get(host)?.length ?? 0,
    add(waiting) {
      const queue = queues.get(waiting.host) ?? []
      queues.set(waiting.host, queue)
      const numbered = { ...waiting, order: ++lastOrder }
      insert(queue, numbered)
      waitingJobs.set(keyOf(waiting.job), numbered)
      size += 1
    },
    hurry(job) {
      const waiting = waitingJobs.get(keyOf(job))
      if (!waiting || waiting.job.priority <= job.priority) return
      const queue = queues.get(waiting.host)!
      queue.splice(queue.indexOf(waiting), 1)
      waiting.job = job
      insert(queue, waiting)
    },
    take(hasCapacity, leastUrgent = Number.POSITIVE_INFINITY) {
      let best: Numbered | undefined
      for (const [host, [head]] of queues) {
        if (head && (!best || isBefore(head, best)) && hasCapacity(host)) best = head
      }
      if (!best || best.job.priority > leastUrgent) return undefined
      const queue = queues.get(best.host)!
      queue.shift()
      if (queue.length === 0) queues.delete(best.host)
      waitingJobs.delete(keyOf(best.job))
      size -= 1
      return best
    },
    drop(host) {
      const queue = queues.get(host) ?? []
      queues.delete(host)
      for (const { job } of queue) waitingJobs.delete(keyOf(job))
      size -= queue.length
      return queue
    },
  }
}

/** A linear scan: queues are short (`windowPerHost`), and most jobs arrive in order. */
function insert(queue: Numbered[], waiting: Numbered): void {
  let at = queue.length
  while (at > 0 && isBefore(waiting, queue[at - 1]!)) at -= 1
  queue.splice(at, 0, waiting)
}

function isBefore(a: Numbered, b: Numbered): boolean {
  if (a.job.priority !== b.job.priority) return a.job.priority < b.job.priority
  return a.order < b.order
}

/**
 * The account's PDS, or the directory if the PDS is unknown or was looked up before `staleBefore`.
 */
export function hostFor(job: Job, { pds, checkedAt }: JobTarget, staleBefore: number): string {
  const isStale = checkedAt === null || checkedAt < staleBefore
  return pds === null || isStale || job.kind === 'identity' ? IDENTITY_HOST : pds
}
