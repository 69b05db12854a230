// Counts the ingest thread's work for the metrics.

import type { StreamItem } from '@slipstream/jetstream'
import type { Counts } from '../../../base/obs/counts.ts'
import { FetchError } from '../../../sources/identity/fetch-error.ts'
import type { GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { BatchOutcome } from '../../indexing/commit-sparing.ts'

const TOO_MANY_REQUESTS = 429

/** Counts events by kind and by outcome. */
export function countBatch(
  counts: Counts,
  { events }: { events: readonly StreamItem[] },
  { applied, skipped }: Pick<BatchOutcome, 'applied' | 'skipped'>,
): void {
  counts.add('batches', 'applied')
  let commits = 0
  for (const { kind } of events) {
    if (kind === 'commit' || kind === 'unread') commits++
    else counts.add('events', kind)
  }
  counts.add('events', 'commit', commits)
  counts.add('outcomes', 'applied', applied)
  for (const [outcome, count] of Object.entries(skipped)) counts.add('outcomes', outcome, count)
}

/** Counts requests to other people's servers by outcome, not by host. */
export function countFetches(fetch: GuardedFetch, counts: Counts): GuardedFetch {
  return async (url, options) => {
    try {
      const response = await fetch(url, options)
      counts.add('fetches', classOf(response.status))
      return response
    } catch (error) {
      counts.add('fetches', error instanceof FetchError ? error.reason : 'error')
      throw error
    }
  }
}

function classOf(status: number): string {
  if (status < 400) return 'ok'
  if (status === TOO_MANY_REQUESTS) return 'rate-limited'
  return status < 500 ? 'client-error' : 'server-error'
}
