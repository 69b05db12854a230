// What other servers allow us, shared out among those for whom we ask. A server counts all our requests as one
// address's, so without shares a visitor could use up what all members have, and what is fetched for them in
// the background. Visitors get a part together, and none of the last quarter; one address gets a smaller
// part, and so does one member.

import { LruMap } from '../base/util/lru.ts'
import { CountTable } from '../data/shared-memory/count-table.ts'
import { remainingRequests } from './identity/rate-limit-headers.ts'

/** For whom a question is asked; undefined for callers without limits. */
export type Asker = { rank: 'member' | 'visitor' | 'program'; key: string } | undefined

export type Quota = {
  /** Takes a request from the asker's share. @returns false if it is used up */
  take(asker: Asker): boolean
  /** Reads what the host says about its limit. */
  note(headers: Headers): void
}

export type Quotas = {
  /** @param host - whose limit it is, such as `pds.example.org` */
  of(host: string): Quota
}

/** Parts of what a host allows: for all visitors together, for one address, for one member. */
export type Shares = { visitors: number; address: number; member: number }

type Options = { now?: (() => number) | undefined; shares?: Shares }

type HostLimit = { requests: number; windowSeconds: number }

/** That of PDSs and Bluesky's AppView, for a host that does not say. */
const USUAL: HostLimit = { requests: 3_000, windowSeconds: 300 }
const MAX_HOSTS = 2_000
const LONGEST_WINDOW_SECONDS = 86_400
const SHARES: Shares = { visitors: 1 / 4, address: 1 / 10, member: 1 / 2 }
/** What is left for members alone. */
const RESERVE = 1 / 4
/** What work in the background leaves. */
const BACKGROUND = 1 / 2
/**
 * Shares are counted in short windows of our own, because we don't know when the host's windows begin.
 * So none of its windows gets more than the share, wherever it begins.
 */
const STEP_SECONDS = 30

/** @param buffer - from createCountBuffer; for this alone, shared by all threads */
export function createQuotas(buffer: SharedArrayBuffer, options: Options = {}): Quotas {
  const quotas = new LruMap<string, Quota>(MAX_HOSTS)
  return {
    of(host) {
      const quota = quotas.get(host) ?? createQuota(buffer, host, options)
      quotas.set(host, quota)
      return quota
    },
  }
}

function createQuota(
  buffer: SharedArrayBuffer,
  host: string,
  { now = Date.now, shares = SHARES }: Options,
): Quota {
  const counts = new CountTable(buffer, { windowSeconds: STEP_SECONDS })
  let limit = USUAL
  let left: { remaining: number; until: number } | undefined

  function has(key: string, share: number): boolean {
    return counts.read(`${host} ${key}`, now()).spent < perStep(limit, share)
  }

  function isReserved(): boolean {
    if (!left || left.until <= now()) return false
    return left.remaining <= limit.requests * RESERVE
  }

  return {
    take(asker) {
      if (!asker) return true
      const { rank, key } = asker
      const isVisitor = rank === 'visitor'
      if (!has(key, isVisitor ? shares.address : shares.member)) return false
      if (isVisitor && (isReserved() || !has('visitors', shares.visitors))) return false
      counts.add(`${host} ${key}`, 1, now())
      if (isVisitor) counts.add(`${host} visitors`, 1, now())
      return true
    },
    note(headers) {
      limit = limitOf(headers) ?? limit
      const reported = remainingRequests(headers, now())
      left = reported && { remaining: reported.remaining, until: now() + reported.resetMs }
    },
  }
}

/** Milliseconds for which work in the background leaves the host's second half to those who wait. */
export function restInBackgroundMs(headers: Headers, now: number): number {
  const left = remainingRequests(headers, now)
  const limit = limitOf(headers)
  return left && limit && left.remaining <= limit.requests * BACKGROUND ? left.resetMs : 0
}

function perStep({ requests, windowSeconds }: HostLimit, share: number): number {
  const mostSteps = Math.ceil(windowSeconds / STEP_SECONDS) + 1
  return Math.max(1, Math.floor((requests * share) / mostSteps))
}

/** From `RateLimit-Limit` and `RateLimit-Policy` (`3000;w=300`), as PDSs and the AppView send them. */
function limitOf(headers: Headers): HostLimit | undefined {
  const requests = Number(headers.get('ratelimit-limit') ?? '')
  if (!Number.isInteger(requests) || requests <= 0) return undefined
  const [, seconds = ''] = /;w=(\d{1,6})/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const windowSeconds = Number(seconds) || USUAL.windowSeconds
  return { requests, windowSeconds: Math.min(windowSeconds, LONGEST_WINDOW_SECONDS) }
}
