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

/** Medians of both trees' figures, and the quartiles of their ratio in each round. */
export type Ratio = {
  name: string
  before: number
  now: number
  low: number
  mid: number
  high: number
}

/**
 * One line: the medians of both, their ratio in the middle half of the rounds, and the largest
 * values. A process that asked for the comparison is told the ratio too (bench/against/against.ts).
 */
export function reportRatio<T>(
  name: string,
  pairs: readonly T[][],
  figure: (measured: T) => number,
): void {
  const all = [0, 1].map((i) => pairs.map((pair) => figure(pair[i]!)))
  const ratios = pairs.map((pair) => figure(pair[1]!) / figure(pair[0]!))
  const [low, mid, high] = [0.25, 0.5, 0.75].map((share) => shareOf(ratios, share)) as Three
  const [before, now] = all.map(median) as [number, number]
  const [worst, worstNow] = all.map((value) => Math.max(...value).toPrecision(3))
  const half = `half of the rounds ${low.toFixed(2)} to ${high.toFixed(2)}`
  console.log(
    `${name}: ${before.toPrecision(4)} → ${now.toPrecision(4)}, ratio ${mid.toFixed(2)} (${half}); largest ${worst} → ${worstNow}`,
  )
  process.send?.({ name, before, now, low, mid, high } satisfies Ratio)
}

type Three = [number, number, number]

export function median(values: readonly number[]): number {
  return shareOf(values, 0.5)
}

function shareOf(values: readonly number[], share: number): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    share,
  )
}
