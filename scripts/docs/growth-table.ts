// How figures grow with the size of the measured object: the exponent of each, by least squares over the
// logarithms of all its points. 0: the same cost at every size; 1: the cost grows in proportion to the size.

import type { SavedFigures } from '../../bench/runner/saved-figures.ts'
import { formatValue } from '../../bench/runner/table.ts'
import { bySize } from './plot-series.ts'

type Growth = [what: string, group: string, figure: string, unit: string]

const ALL: Growth[] = [
  ['add a follow, of a random account', 'edges', 'add.ns', 'ns'],
  ['does A follow B', 'edges', 'contains.ns', 'ns'],
  ['remove a follow', 'edges', 'remove.ns', 'ns'],
  ['a page of known followers', 'edges', 'known_followers.us', 'µs'],
  ['memory of a follow', 'edges', 'bytes_per_edge', 'B'],
  ['load the graph', 'edges', 'load.ms', 'ms'],
  ['read a page of a timeline', 'members', 'timeline_read.us', 'µs'],
  ['fan a post out', 'members', 'fan_out.us', 'µs'],
  ['memory of timelines', 'members', 'timelines.mb', 'MB'],
  ['a home timeline, again', 'posts', 'page_again.ms', 'ms'],
  ['a home timeline, nothing cached', 'posts', 'page_uncached.ms', 'ms'],
  ['a home timeline, from rows', 'posts', 'page_from_rows.ms', 'ms'],
  ['disk of a post', 'posts', 'disk.bytes', 'B'],
  ['a home timeline, again', 'follows', 'page_again.ms', 'ms'],
  ['a home timeline, nothing cached', 'follows', 'page_uncached.ms', 'ms'],
  ['a home timeline, from rows', 'follows', 'page_from_rows.ms', 'ms'],
  ['home timelines a second', 'threads', 'answers.rps', ''],
  ['a home timeline, processor time', 'threads', 'cpu.ms', 'ms'],
]

/** What the sizes of a group count. */
const SIZES: Record<string, string> = {
  edges: 'follows',
  follows: 'accounts followed',
  threads: 'serving threads',
}

export function growthTable(figures: SavedFigures): string {
  const rows = ALL.flatMap(([what, group, figure, unit]) => {
    const { points } = bySize(figures, what, { group: `growth.${group}`, figure })
    if (points.length < 2) return []
    const [[from, least], [to, most]] = [points[0]!, points.at(-1)!]
    const sizes = `${from.toLocaleString('en-US')} → ${to.toLocaleString('en-US')} ${SIZES[group] ?? group}`
    const values = `${formatValue(least)} → ${formatValue(most)} ${unit}`.trim()
    return `| ${what} | ${sizes} | ${values} | ${exponentOf(points).toFixed(2)} |`
  })
  return ['| what | at | takes | exponent |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

export function exponentOf(points: readonly (readonly [size: number, value: number])[]): number {
  const [xs, ys] = [0, 1].map((i) => points.map((point) => Math.log(point[i]!))) as [
    number[],
    number[],
  ]
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const [mx, my] = [mean(xs), mean(ys)]
  const rise = mean(xs.map((x, i) => (x - mx) * (ys[i]! - my)))
  return rise / mean(xs.map((x) => (x - mx) ** 2))
}
