// How a page of a home timeline grows: with the posts in the database, with the accounts that its reader
// follows (bench/timelines/growth-posts.ts), and how many pages serving threads answer (bench/timelines/growth-threads.ts).

import type { SavedFigures } from '../../bench/runner/saved-figures.ts'
import type { Plot } from './line-plot.ts'
import { bySize } from './plot-series.ts'

export function pagePlots(figures: SavedFigures): Record<string, Plot> {
  const milliseconds = (group: string) => ({
    yLabel: 'milliseconds',
    logarithmic: true,
    series: [
      bySize(figures, 'again', { group, figure: 'page_again.ms' }),
      bySize(figures, 'nothing cached', { group, figure: 'page_uncached.ms' }),
      bySize(figures, 'from rows', { group, figure: 'page_from_rows.ms' }),
    ],
  })
  return {
    'timeline-page-posts': {
      ...milliseconds('growth.posts'),
      title: 'A home timeline, by posts in the database',
      xLabel: 'posts',
    },
    'timeline-page-follows': {
      ...milliseconds('growth.follows'),
      title: 'A home timeline, by accounts that its reader follows',
      xLabel: 'accounts followed',
    },
    'serving-threads': {
      title: 'Home timelines a second, beside their readers',
      xLabel: 'serving threads',
      yLabel: 'pages a second',
      logarithmic: false,
      series: [bySize(figures, 'pages', { group: 'growth.threads', figure: 'answers.rps' })],
    },
  }
}
