// The quantile of a sorted list, for benchmarks that keep every value.

/** @param ascending - sorted, and not empty */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))]!
}
