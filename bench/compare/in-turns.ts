// Measures two trees in turns (A, B, B, A), and reports their ratio. A machine whose speed varies by a factor
// of two can then neither fake a difference nor hide one.

import { quantile } from '../runner/quantile.ts'

/** `measure` gets 0 for the other tree, and 1 for this one. */
export async function inTurns<T>(
  rounds: number,
  measure: (i: number) => Promise<T>,
): Promise<T[][]> {
  const pairs: T[][] = []
  for (let round = 0; round < rounds; round++) {
    const pair: T[] = []
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) pair[i] = await measure(i)
    pairs.push(pair)
  }
  return pairs
}

/** One line: the medians of both, their ratio in the middle half of the rounds, and the largest values. */
export function reportRatio<T>(
  name: string,
  pairs: readonly T[][],
  figure: (measured: T) => number,
): void {
  const all = [0, 1].map((i) => pairs.map((pair) => figure(pair[i]!)))
  const ratios = pairs.map((pair) => figure(pair[1]!) / figure(pair[0]!))
  const [low, mid, high] = [0.25, 0.5, 0.75].map((share) => shareOf(ratios, share).toFixed(2))
  const [before, now] = all.map((one) => median(one).toPrecision(4))
  const [worst, worstNow] = all.map((one) => Math.max(...one).toPrecision(3))
  console.log(
    `${name}: ${before} → ${now}, ratio ${mid} (half of the rounds ${low} to ${high}); largest ${worst} → ${worstNow}`,
  )
}

export function median(values: readonly number[]): number {
  return shareOf(values, 0.5)
}

function shareOf(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    share,
  )
}
