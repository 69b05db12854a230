// Writes the tables of docs/PERFORMANCE.md, docs/FIGURES.md and docs/COST.md from docs/figures.json, where
// `npm run bench -- --save docs/figures.json` stores its results; a test checks that they are current.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { networks } from '../bench/cost/model.ts'
import { readFigures, type SavedFigure, type SavedFigures } from '../bench/runner/saved-figures.ts'
import { formatValue } from '../bench/runner/table.ts'
import { isMet, limitText, type Target, targets } from '../bench/runner/targets.ts'
import { growthTable } from './docs/growth-table.ts'

const docs = join(import.meta.dirname, '../docs')
const MEMBERS: [string, string][] = [
  ['1e4', '10,000'],
  ['1e5', '100,000'],
  ['1e6', '1,000,000'],
]

const COSTS: [figure: string, what: string][] = [
  ['authors', 'accounts followed by members'],
  ['edges', 'follow edges held'],
  ['ram.graph', 'memory: graph, GB'],
  ['ram.accounts', 'memory: accounts, GB'],
  ['ram.timelines', 'memory: timelines, GB'],
  ['ram', '**memory in all, GB**'],
  ['cores.ingest', 'cores: the stream'],
  ['cores.fan_out', 'cores: fan-out'],
  ['cores.serving', 'cores: serving, over the day'],
  ['cores.serving_at_peak', '**cores: serving at the peak**'],
  ['disk', '**disk, GB a day**'],
  ['disk.at_first', 'disk: follow lists, once, GB'],
  ['bandwidth.in', 'traffic in, GB a day'],
  ['bandwidth.out', 'traffic out, GB a day'],
]

export function targetsTable(figures: SavedFigures): string {
  const head = ['| what | target | measured | | figure |', '| --- | --- | --- | --- | --- |']
  return [...head, ...targets.map((target) => targetRow(target, figures[target.figure]))].join('\n')
}

function targetRow(target: Target, saved: SavedFigure | undefined): string {
  const { figure, what, unit, fullOnly } = target
  const limit = `${limitText(target)} ${unit}`
  const name = `\`${figure}\`${fullOnly ? ' (`--full`)' : ''}`
  if (!saved) return `| ${what} | ${limit} | not measured | | ${name} |`
  const verdict = isMet(target, saved.value) ? 'met' : `**missed**, ${shortfall(target, saved)}`
  return `| ${what} | ${limit} | ${formatValue(saved.value)} ${saved.unit} | ${verdict} | ${name} |`
}

/** For example `1.4 times`: the ratio of the figure to the target, or its inverse. */
function shortfall({ better, limit }: Target, { value }: SavedFigure): string {
  const times = better === 'less' ? value / limit : limit / value
  return `${Number(times.toPrecision(2))} times`
}

/** The days, machines, commits, clocks and load averages of the table's figures. */
export function provenance(figures: SavedFigures): string {
  const saved = targets
    .map(({ figure }) => figures[figure])
    .filter((savedFigure) => savedFigure !== undefined)
  const dates = [...new Set(saved.map(({ date }) => date))].sort()
  const machines = [...new Set(saved.map(({ machine }) => machine))]
  const commits = [...new Set(saved.map(({ commit }) => commit ?? 'an earlier one'))].sort()
  const clocks = saved.flatMap(({ mhz }) => mhz ?? [])
  const loads = saved.map(({ load }) => load)
  const full = saved.filter((savedFigure) => savedFigure.full).length
  return [
    `Measured on ${dates.join(', ')} on ${machines.join('; ')}, at ${commits.length > 1 ? 'the commits' : 'commit'} ${commits.join(', ')}.`,
    ...(clocks.length > 0 ? [`Clock: ${Math.min(...clocks)} to ${Math.max(...clocks)} MHz.`] : []),
    `Load average of the last minute when the figures were kept: ${Math.min(...loads)} to ${Math.max(...loads)}.`,
    `${full} of ${saved.length} at full size (\`--full\`), the others at the size for CI.`,
  ].join('\n')
}

/** @param network - one of bench/cost/model.ts */
export function costTable(figures: SavedFigures, network: string): string {
  const head = `| | ${MEMBERS.map(([, name]) => name).join(' | ')} members |`
  const rows = COSTS.map(([figure, what]) => {
    const cells = MEMBERS.map(([power]) => figures[`cost.${network}.${power}.${figure}`])
    const visible = cells.map((cell) => (cell ? formatValue(cell.value) : ''))
    return `| ${what} | ${visible.join(' | ')} |`
  })
  return [head, `| --- | ${MEMBERS.map(() => '---').join(' | ')} |`, ...rows].join('\n')
}

/** Replaces the part of `page` between `<!-- name: … -->` and `<!-- /name -->`. */
export function withSection(page: string, name: string, content: string): string {
  const start = new RegExp(`<!-- ${name}:[^>]*-->\n`).exec(page)
  const end = page.indexOf(`<!-- /${name} -->`)
  if (!start || end < start.index) throw new Error(`the page lost its marker ${name}`)
  return `${page.slice(0, start.index + start[0].length)}${content}\n${page.slice(end)}`
}

/** All saved figures with one of these prefixes. */
export function figuresTable(figures: SavedFigures, prefixes: readonly string[]): string {
  const chosen = Object.entries(figures).filter(([name]) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  )
  const rows = chosen.map(
    ([name, { value, unit }]) => `| \`${name}\` | ${formatValue(value)} ${unit} |`,
  )
  return ['| figure | measured |', '| --- | --- |', ...rows].join('\n')
}

/** Sections of docs/FIGURES.md that list all figures of some benchmarks. */
const LISTED: [section: string, prefixes: string[]][] = [
  ['serving figures', ['getTimeline.', 'getKnownFollowers.', 'socialProof.']],
  ['timeline figures', ['timeline.skeleton.', 'fanout.']],
  ['memory figures', ['memory.', 'cpu.', 'visible.']],
  ['start figures', ['cold-start.', 'crashStart.']],
]

export function performancePage(page: string, figures: SavedFigures): string {
  const withTable = withSection(page, 'targets', targetsTable(figures))
  return withSection(withTable, 'provenance', provenance(figures))
}

/** @param figures - including those of docs/plots/data.json */
export function figuresPage(page: string, figures: SavedFigures): string {
  const withGrowth = withSection(page, 'growth', growthTable(figures))
  return LISTED.reduce(
    (text, [section, prefixes]) => withSection(text, section, figuresTable(figures, prefixes)),
    withGrowth,
  )
}

/** From docs/plots/data.json. */
export function lossyPage(page: string, figures: SavedFigures): string {
  return withSection(page, 'lossy', lossyTable(figures))
}

const VARIANTS: [name: string, what: string][] = [
  ['', '**as assumed** (20 seeds)'],
  ['.cut_half', 'a cut costs half'],
  ['.cut_twice', 'a cut costs twice as much'],
  ['.no_cut', 'cuts cost nothing'],
  ['.hot_half', 'half as many huge accounts'],
  ['.hot_twice', 'twice as many'],
  ['.no_hot', 'none'],
]

export function lossyTable(figures: SavedFigures): string {
  const of = (name: string) => figures[`hot-shards${name}`]
  const format = (name: string) => formatValue(of(name)?.value ?? Number.NaN)
  const pair = (name: string, figure: string) =>
    `${format(`${name}.before.${figure}`)} → ${format(`${name}.after.${figure}`)}`
  const less = (name: string, figure: string) =>
    `${format(`${name}.${figure}.less`)} (${format(`${name}.${figure}.less_least`)} … ${format(`${name}.${figure}.less_most`)})`
  const rows = VARIANTS.map(([name, what]) => {
    const cells = [
      ...['busiest_shard', 'write_p99_ms', 'page_p99_ms'].map((figure) => pair(name, figure)),
      less(name, 'page_p99'),
      ...['job_p50_s', 'job_p99_s'].map((figure) => pair(name, figure)),
      less(name, 'job_p99'),
    ]
    return `| ${[what, ...cells].join(' | ')} |`
  })
  const head = ['| ', 'busiest shard, %', 'write P99, ms', 'page P99, ms', 'less, %']
  const jobs = ['job, middle, s', 'job P99, s', 'less, % |']
  return [[...head, ...jobs].join(' | '), `| ${'--- | '.repeat(8).trim()}`, ...rows].join('\n')
}

export function costPage(page: string, figures: SavedFigures): string {
  return Object.keys(networks).reduce(
    (text, name) => withSection(text, `costs-${name}`, costTable(figures, name)),
    page,
  )
}

if (import.meta.main) {
  const figures = readFigures(join(docs, 'figures.json'))
  const plotted = readFigures(join(docs, 'plots/data.json'))
  const pages: [string, typeof costPage, SavedFigures][] = [
    ['PERFORMANCE.md', performancePage, figures],
    ['FIGURES.md', figuresPage, { ...plotted, ...figures }],
    ['COST.md', costPage, figures],
    ['LOSSY-TIMELINES.md', lossyPage, plotted],
  ]
  for (const [name, write, figures] of pages) {
    const path = join(docs, name)
    writeFileSync(path, write(readFileSync(path, 'utf8'), figures))
  }
}
