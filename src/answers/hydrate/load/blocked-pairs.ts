import type { AccountPair, BlockedPairs } from '../types.ts'

export function blockedPairs(pairs: Iterable<AccountPair>): BlockedPairs {
  const byLower = new Map<number, Set<number>>()
  for (const [a, b] of pairs) {
    const lower = Math.min(a, b)
    const known = byLower.get(lower)
    if (known) known.add(Math.max(a, b))
    else byLower.set(lower, new Set([Math.max(a, b)]))
  }
  return {
    has: (a, b) => a !== b && (byLower.get(Math.min(a, b))?.has(Math.max(a, b)) ?? false),
    isDisputed: () => false,
  }
}
