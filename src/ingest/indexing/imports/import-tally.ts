import type { BadLine } from './follow-lines.ts'

/**
 * Outcome of a line: `added`; `known`, already stored; `undone`, deleted since; `complete`, the
 * account's own list is known; `gone`, the account was deleted; `outOfScope`.
 */
export type ImportOutcome = 'added' | 'known' | 'undone' | 'complete' | 'gone' | 'outOfScope'

export type ImportTally = Record<ImportOutcome, number>

export type ImportReport = {
  tally: ImportTally
  lines: number
  bad: number
  badLines: readonly BadLine[]
}

export function emptyTally(): ImportTally {
  return { added: 0, known: 0, undone: 0, complete: 0, gone: 0, outOfScope: 0 }
}

export function addTo(tally: ImportTally, more: Record<string, number>): void {
  for (const name of Object.keys(tally) as ImportOutcome[]) tally[name] += more[name] ?? 0
}
