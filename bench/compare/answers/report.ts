// What a comparison found, as lines for people and as JSON: for each method how many answers were the same,
// and for each cause of differences how often it was seen, and one example.

import type { Cause, Found } from './causes.ts'

export type Tally = {
  requests: number
  bytes: number
  /** The same but for cursors, which are opaque. */
  cursors: number
  /** The same values under the same names, in another order. */
  json: number
  named: number
  different: number
}

export type Report = {
  trees: { before: string; now: string }
  seed: number
  startMs: number
  events: number
  methods: Record<string, Tally>
  /** Differed once, and not when asked again. */
  passing: string[]
  /** Known to one tree only, so never asked. */
  notRequested: { onlyBefore: string[]; onlyNow: string[] }
  causes: Cause[]
  differences: Found[]
}

/** What also differs between two runs of one tree. */
const NORMALISED = [
  'not compared: times and record keys that a tree took from its own clock, what cursors look like,',
  'changes of threadgates (none are sent: a reply that is fetched may overtake them),',
  'and the order, numbers and times of arrival of /v1 timelines, whose events are compared as a set',
]
const MOST_PRESENTED = 5

const COLUMNS = ['requests', 'bytes', 'cursors', 'json', 'named', 'different'] as const

export function emptyTally(): Tally {
  return { requests: 0, bytes: 0, cursors: 0, json: 0, named: 0, different: 0 }
}

export function totalOf(methods: Record<string, Tally>): Tally {
  const total = emptyTally()
  for (const tally of Object.values(methods)) {
    for (const column of COLUMNS) total[column] += tally[column]
  }
  return total
}

export function reportLines({
  methods,
  causes,
  passing,
  notRequested,
  events,
  seed,
}: Report): string[] {
  const rows = Object.entries(methods).sort(([a], [b]) => (a < b ? -1 : 1))
  const line = (name: string, tally: Tally) =>
    `${name.padEnd(56)}${COLUMNS.map((column) => String(tally[column]).padStart(10)).join('')}`
  const heading = COLUMNS.map((column) => column.padStart(10)).join('')
  return [
    `${events} events, seed ${seed}`,
    ...NORMALISED,
    `${''.padEnd(56)}${heading}`,
    ...rows.map(([name, tally]) => line(name, tally)),
    line('all', totalOf(methods)),
    `${passing.length} reads differed once, but not when asked again${visiblePaths(passing)}`,
    ...(notRequested.onlyBefore.length > 0
      ? [`only before: ${notRequested.onlyBefore.join(', ')}`]
      : []),
    ...(notRequested.onlyNow.length > 0 ? [`only now: ${notRequested.onlyNow.join(', ')}`] : []),
    ...causes.flatMap(causeLines),
  ]
}

function visiblePaths(paths: readonly string[]): string {
  return paths.length > 0 ? `: ${paths.slice(0, MOST_PRESENTED).join(' ')}` : ''
}

function causeLines({ path, kind, reason, methods, count, example }: Cause): string[] {
  const where = Object.entries(methods)
    .sort(([, a], [, b]) => b - a)
    .map(([method, times]) => `${method.split('.').at(-1)} ${times}`)
  return [
    '',
    `${reason ? 'named' : 'UNNAMED'}: ${path} ${kind}, ${count} times (${where.join(', ')})`,
    ...(reason ? [`  reason: ${reason}`] : []),
    `  ${example.request}`,
    `  at ${example.path}`,
    `  before: ${example.before}`,
    `  now:    ${example.now}`,
  ]
}
