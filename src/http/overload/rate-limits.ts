// Rate limit per caller over five minutes: members by DID, since a PDS calls for all of its users from one
// address, and all others by address. Windows, headers and the error are those of the reference's PDS, which
// clients know. Only a verified token is charged to its account, so no caller can use up another's points.
// The counter (data/shared-memory/count-table.ts) keeps no object or timer per address.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { type Count, CountTable, createCountBuffer } from '../../data/shared-memory/count-table.ts'
import type { ChargedRequest } from './charged-request.ts'

/** Shared by all serving threads. */
export type RateBuffers = Record<
  'members' | 'visitors' | 'addresses' | 'newcomers' | 'lookups' | 'quotas',
  SharedArrayBuffer
>

export type RateLimit = {
  /**
   * Takes `points` from what `key` has left, and sets the limit headers on the request for its
   * answer.
   * @returns the error if there are not enough.
   */
  charge(request: ChargedRequest, key: string, points: number): XRPCError | undefined
  /** Takes points for what a call turned out to cost; the next one is refused if none are left. */
  chargeAfterwards(request: ChargedRequest, key: string, points: number): void
  /** The same without a word about it in the answer. */
  countAfterwards(key: string, points: number): void
  isSpent(key: string): boolean
  /** Until the key has all of its points again. */
  secondsLeft(key: string): number
  /** Returns the error if no points are left; otherwise takes none. */
  ifSpent(request: ChargedRequest, key: string): XRPCError | undefined
}

const WINDOW_SECONDS = 300
/** For counts whose keys are only admitted callers. */
const FEW_SETS = 4_096

export function createRateBuffers(): RateBuffers {
  return {
    members: createCountBuffer(),
    visitors: createCountBuffer(),
    addresses: createCountBuffer(),
    newcomers: createCountBuffer(FEW_SETS),
    lookups: createCountBuffer(FEW_SETS),
    quotas: createCountBuffer(),
  }
}

/** @param limit - points per key in WINDOW_SECONDS; 0 for no limit. */
export function createRateLimit(options: {
  buffer: SharedArrayBuffer
  limit: number
  now?: (() => number) | undefined
}): RateLimit {
  const { buffer, limit, now = Date.now } = options
  if (limit === 0) return UNLIMITED
  const counts = new CountTable(buffer, { windowSeconds: WINDOW_SECONDS })
  const policy = `${limit};w=${WINDOW_SECONDS}`

  function isSpent(key: string): boolean {
    return counts.read(key, now()).spent >= limit
  }

  function charge(request: ChargedRequest, key: string, points: number): XRPCError | undefined {
    const nowMs = now()
    const count = counts.add(key, points, nowMs)
    request.limitHeaders = headersOf(count, limit, policy)
    if (count.spent <= limit) return undefined
    request.limitHeaders.push('retry-after', String(secondsUntil(count.endsAt, nowMs)))
    return new XRPCError(429, 'RateLimitExceeded', 'Rate Limit Exceeded')
  }

  return {
    charge,
    chargeAfterwards(request, key, points) {
      const count = counts.add(key, points, now())
      if (request.limitHeaders) request.limitHeaders = headersOf(count, limit, policy)
    },
    countAfterwards(key, points) {
      counts.add(key, points, now())
    },
    isSpent,
    secondsLeft: (key) => secondsUntil(counts.read(key, now()).endsAt, now()),
    ifSpent: (request, key) => (isSpent(key) ? charge(request, key, 1) : undefined),
  }
}

/** For callers without limits. */
export const UNLIMITED: RateLimit = {
  charge: () => undefined,
  chargeAfterwards: () => undefined,
  countAfterwards: () => undefined,
  isSpent: () => false,
  secondsLeft: () => 1,
  ifSpent: () => undefined,
}

/** Alternating names and values. */
function headersOf({ spent, endsAt }: Count, limit: number, policy: string): string[] {
  return [
    'ratelimit-limit',
    String(limit),
    'ratelimit-reset',
    String(endsAt),
    'ratelimit-remaining',
    String(Math.max(limit - spent, 0)),
    'ratelimit-policy',
    policy,
  ]
}

function secondsUntil(endsAt: number, nowMs: number): number {
  return Math.max(Math.ceil(endsAt - nowMs / 1000), 1)
}
