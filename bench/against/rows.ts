// The rows of the page that `npm run bench -- --against TREE` prints: figures that a script of bench/compare/
// measures for both trees in turns, and the ratio to the other tree that each aims at. They are those that take
// minutes; what needs a full-size world has benchmarks of its own (`npm run bench -- memory --full`).

export type Row = {
  /** As `reportRatio` names it. */
  figure: string
  what: string
  /** Ratio of this tree's figure to the other's. */
  target: number
  better: 'less' | 'more'
}

export type Part = { script: string; args: string[]; rows: Row[] }

const atMost = (target: number) => ({ target, better: 'less' }) as const
const atLeast = (target: number) => ({ target, better: 'more' }) as const

export const parts: readonly Part[] = [
  {
    script: 'serving.ts',
    args: ['--only', 'getTimeline', '--rounds', '6'],
    rows: [
      {
        figure: 'getTimeline.cpu_ms',
        what: 'unchanged getTimeline?limit=50, CPU of an answer',
        ...atMost(0.6),
      },
      { figure: 'getTimelineZstd.cpu_ms', what: 'the same, zstd', ...atMost(0.75) },
      { figure: 'getTimelinePoll.cpu_ms', what: 'the same, limit=1', ...atMost(0.35) },
    ],
  },
  {
    script: 'resting-memory.ts',
    args: ['--rounds', '3'],
    rows: [
      {
        figure: 'empty.rss_mb',
        what: 'an empty instance, a minute after its start',
        ...atMost(0.6),
      },
      { figure: 'empty.anonymous_mb', what: 'of that, anonymous', ...atMost(0.6) },
    ],
  },
  {
    script: 'live.ts',
    args: ['--rounds', '4', '--seconds', '15'],
    rows: [{ figure: 'cpu.at_600_per_s.percent', what: 'CPU at 600 events/s', ...atMost(0.65) }],
  },
  {
    script: 'catch-up.ts',
    args: ['--rounds', '4', '--events', '100000', '--only', 'network.v2.zstd'],
    rows: [
      {
        figure: 'network.v2.zstd.events_per_s',
        what: 'network scope, wire to applied',
        ...atLeast(1.5),
      },
    ],
  },
]
