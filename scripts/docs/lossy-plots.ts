// The plots of docs/LOSSY-TIMELINES.md, by file name, from figures of `npm run bench -- hot-shards`.

import type { SavedFigures } from '../../bench/runner/saved-figures.ts'
import type { Plot } from './line-plot.ts'
import { series } from './plot-series.ts'

const READERS: [follows: number, name: string][] = [
  [500_000, '500,000 follows'],
  [5_000, '5,000 follows'],
  [500, '500 follows'],
]

export function lossyPlots(figures: SavedFigures): Record<string, Plot> {
  const byLimit = (name: string, figure: string) =>
    series(figures, name, { before: 'hot-shards.limit.', after: `.${figure}` })
  const limits = { xLabel: 'reasonable limit', logarithmic: true }
  return {
    'lossy-readers': {
      ...limits,
      title: 'What a reader’s timeline gets in a day',
      yLabel: 'posts a day',
      series: READERS.map(([follows, name]) => {
        const before = `hot-shards.reader.${follows}.limit.`
        return series(figures, name, { before, after: '.posts_a_day' })
      }),
    },
    'lossy-waits': {
      ...limits,
      title: 'Writes and pages of fan-out, P99',
      yLabel: 'milliseconds',
      series: [byLimit('page', 'page_p99_ms'), byLimit('write', 'write_p99_ms')],
    },
    'lossy-jobs': {
      ...limits,
      title: 'Fanning out a post, P99',
      yLabel: 'seconds',
      series: [byLimit('job', 'job_p99_s')],
    },
  }
}
