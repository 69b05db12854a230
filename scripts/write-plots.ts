// Draws docs/plots/*.svg from docs/plots/data.json, which is measured by `npm run bench -- growth --full
// --save docs/plots/data.json` and the same with `hot-shards`.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readFigures, type SavedFigures } from '../bench/runner/saved-figures.ts'
import { drawPlot, type Plot } from './docs/line-plot.ts'
import { lossyPlots } from './docs/lossy-plots.ts'
import { pagePlots } from './docs/page-plots.ts'
import { bySize } from './docs/plot-series.ts'

const folder = join(import.meta.dirname, '../docs/plots')

/** The plots by file name, except those whose figures are missing. */
export function plotsOf(figures: SavedFigures): Record<string, Plot> {
  const edges = (name: string, figure: string) =>
    bySize(figures, name, { group: 'growth.edges', figure })
  const members = (name: string, figure: string) =>
    bySize(figures, name, { group: 'growth.members', figure })
  const graph = { xLabel: 'follow edges', logarithmic: true }
  const community = { xLabel: 'members', logarithmic: true }
  const plots: Record<string, Plot> = {
    'graph-memory': {
      ...graph,
      logarithmic: false,
      title: 'Memory per follow edge, both directions',
      yLabel: 'bytes',
      limit: { value: 12, name: 'target: 12 bytes' },
      series: [edges('bytes', 'bytes_per_edge')],
    },
    'graph-operations': {
      ...graph,
      title: 'One random edge of a power-law network, both directions',
      yLabel: 'nanoseconds',
      series: [
        edges('add', 'add.ns'),
        edges('contains', 'contains.ns'),
        edges('remove', 'remove.ns'),
      ],
    },
    'graph-load': {
      ...graph,
      title: 'Loading the graph from its snapshot',
      yLabel: 'milliseconds',
      series: [edges('load', 'load.ms')],
    },
    'known-followers': {
      ...graph,
      title: 'Known followers: random viewers × the 500 most followed',
      yLabel: 'microseconds',
      series: [edges('a page of 50', 'known_followers.us')],
    },
    timelines: {
      ...community,
      title: 'Timelines: reading a page, and fanning out a post',
      yLabel: 'microseconds',
      series: [members('read', 'timeline_read.us'), members('fan-out', 'fan_out.us')],
    },
    'timeline-memory': {
      ...community,
      title: 'Memory of timelines of 1,000 entries',
      yLabel: 'megabytes',
      series: [members('timelines', 'timelines.mb')],
    },
    ...pagePlots(figures),
    ...lossyPlots(figures),
  }
  return Object.fromEntries(
    Object.entries(plots).filter(([, { series }]) =>
      series.every(({ points }) => points.length > 1),
    ),
  )
}

if (import.meta.main) {
  const plots = plotsOf(readFigures(join(folder, 'data.json')))
  for (const [name, plot] of Object.entries(plots)) {
    writeFileSync(join(folder, `${name}.svg`), drawPlot(plot))
    console.log(`docs/plots/${name}.svg`)
  }
}
