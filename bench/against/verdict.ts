// What a row of the page says: both trees' figures, their ratio with its spread, and whether that meets the target.
// A ratio whose rounds differ from each other by more than the trees do says nothing.

import type { Ratio } from '../compare/in-turns.ts'
import type { Row } from './rows.ts'

type Verdict = 'met' | 'missed' | 'not judged'

/** @param ratio - undefined if the figure was not measured */
export function verdictOf({ target, better }: Row, ratio: Ratio | undefined): Verdict {
  if (!ratio || ratio.high - ratio.low > Math.abs(ratio.mid - 1)) return 'not judged'
  return (better === 'less' ? ratio.mid <= target : ratio.mid >= target) ? 'met' : 'missed'
}

export function rowLine(row: Row, ratio: Ratio | undefined): string {
  const { what, target, better } = row
  const aim = `${better === 'less' ? '≤' : '≥'} ${target}`
  const cells = ratio
    ? [
        ratio.before.toPrecision(4),
        ratio.now.toPrecision(4),
        `${ratio.mid.toFixed(2)} (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`,
      ]
    : ['–', '–', 'not measured']
  return `| ${[what, ...cells, aim, verdictOf(row, ratio)].join(' | ')} |`
}
