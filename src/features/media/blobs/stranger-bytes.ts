// How much is fetched within an hour of accounts that no member follows. Anyone may ask for
// them, so without a limit anyone could make us fetch without end, and push everything else out of the cache.

import { createSharedBudget, type SharedBudget } from '../../../data/shared-memory/shared-budget.ts'
import { MediaError } from '../media-error.ts'

export type StrangerBytes = {
  /** @throws MediaError if the address, or all together, have had their share */
  check(asker: string): void
  spend(asker: string, bytes: number): void
}

/**
 * Kilobytes an hour: 150 videos of a minute for one address, and 4.4 MB a second for all. No address
 * takes more than a quarter of what is left.
 */
const LIMITS = { windowSeconds: 3600, each: 2_000_000, all: 16_000_000 }

/** @param buffer - for this alone; shared by all serving threads */
export function createStrangerBytes(
  buffer: SharedArrayBuffer,
  { now = Date.now, limits = LIMITS }: { now?: () => number; limits?: typeof LIMITS } = {},
): StrangerBytes {
  const budget: SharedBudget = createSharedBudget({ buffer, ...limits })
  return {
    check(asker) {
      if (budget.left(asker, now()) > 0) return
      throw new MediaError('limited', 'RateLimitExceeded', 'too much was fetched in this hour')
    },
    spend: (asker, bytes) => budget.spend(asker, Math.ceil(bytes / 1000), now()),
  }
}
