// Writes the tables of docs/PERFORMANCE.md and docs/COST.md from docs/figures.json, where
// `npm run bench -- --save docs/figures.json` keeps what it measured; a test keeps them true.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFigures, type SavedFigure, type SavedFigures } from '../bench/saved-figures.ts'
import { formatValue } from '../bench/table.ts'
import { isMet, limitText, type Target, targets } from '../bench/targets.ts'

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
  const verdict = isMet(target, saved.value) ? 'met' : `**missed**, ${missedBy(target, saved)}`
  return `| ${what} | ${limit} | ${formatValue(saved.value)} ${saved.unit} | ${verdict} | ${name} |`
}

/** Such as `1.4 times`: how often the target goes into the figure, or the other way round. */
function missedBy({ better, limit }: Target, { value }: SavedFigure): string {
  const times = better === 'less' ? value / limit : limit / value
  return `${Number(times.toPrecision(2))} times`
}

/** Which days, machines and load averages the figures of the table are of. */
export function provenance(figures: SavedFigures): string {
  const saved = targets.map(({ figure }) => figures[figure]).filter((one) => one !== undefined)
  const dates = [...new Set(saved.map(({ date }) => date))].sort()
  const machines = [...new Set(saved.map(({ machine }) => machine))]
  const loads = saved.map(({ load }) => load)
  const full = saved.filter((one) => one.full).length
  return [
    `Measured on ${dates.join(', ')} on ${machines.join('; ')}.`,
    `Load average of the last minute when the figures were kept: ${Math.min(...loads)} to ${Math.max(...loads)}.`,
    `${full} of ${saved.length} at full size (\`--full\`), the others at the size for CI.`,
  ].join('\n')
}

export function costTable(figures: SavedFigures): string {
  const head = `| | ${MEMBERS.map(([, name]) => name).join(' | ')} members |`
  const rows = COSTS.map(([figure, what]) => {
    const cells = MEMBERS.map(([power]) => figures[`cost.${power}.${figure}`])
    const shown = cells.map((cell) => (cell ? formatValue(cell.value) : ''))
    return `| ${what} | ${shown.join(' | ')} |`
  })
  return [head, `| --- | ${MEMBERS.map(() => '---').join(' | ')} |`, ...rows].join('\n')
}

/** `page` with what stands between `<!-- name: … -->` and `<!-- /name -->` replaced. */
export function withSection(page: string, name: string, content: string): string {
  const start = new RegExp(`<!-- ${name}:[^>]*-->\n`).exec(page)
  const end = page.indexOf(`<!-- /${name} -->`)
  if (!start || end < start.index) throw new Error(`the page lost its marker ${name}`)
  return `${page.slice(0, start.index + start[0].length)}${content}\n${page.slice(end)}`
}

/** Everything kept whose name begins so. */
export function figuresTable(figures: SavedFigures, prefixes: readonly string[]): string {
  const chosen = Object.entries(figures).filter(([name]) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  )
  const rows = chosen.map(
    ([name, { value, unit }]) => `| \`${name}\` | ${formatValue(value)} ${unit} |`,
  )
  return ['| figure | measured |', '| --- | --- |', ...rows].join('\n')
}

/** Sections of docs/PERFORMANCE.md that list all figures of some benchmarks. */
const LISTED: [section: string, prefixes: string[]][] = [
  ['serving figures', ['getTimeline.', 'getKnownFollowers.', 'socialProof.']],
  ['timeline figures', ['timeline.skeleton.', 'fanout.']],
  ['memory figures', ['memory.', 'cpu.', 'visible.']],
  ['start figures', ['cold-start.', 'crashStart.']],
]

export function performancePage(page: string, figures: SavedFigures): string {
  const withTable = withSection(page, 'targets', targetsTable(figures))
  const withOrigin = withSection(withTable, 'provenance', provenance(figures))
  return LISTED.reduce(
    (text, [section, prefixes]) => withSection(text, section, figuresTable(figures, prefixes)),
    withOrigin,
  )
}

export function costPage(page: string, figures: SavedFigures): string {
  return withSection(page, 'costs', costTable(figures))
}

if (import.meta.main) {
  const figures = readFigures(join(docs, 'figures.json'))
  const pages: [string, typeof costPage][] = [
    ['PERFORMANCE.md', performancePage],
    ['COST.md', costPage],
  ]
  for (const [name, write] of pages) {
    const path = join(docs, name)
    writeFileSync(path, write(readFileSync(path, 'utf8'), figures))
  }
}
