// The targets of all figures in one table, for the output of `npm run bench` and for docs/PERFORMANCE.md
// (scripts/write-performance.ts). A figure that several benchmarks could produce is taken from the one named
// here.

export type Target = {
  figure: string
  /** Short description of the figure. */
  what: string
  limit: number
  /** Which side of the limit meets the target. */
  better: 'less' | 'more'
  unit: string
  /** The file of bench/ that measures it, without `.ts`. */
  bench: string
  /** Measured only with `--full`. */
  fullOnly?: true
}

const atMost = (limit: number, unit: string) => ({ limit, unit, better: 'less' }) as const
const atLeast = (limit: number, unit: string) => ({ limit, unit, better: 'more' }) as const

export const targets: readonly Target[] = [
  {
    figure: 'graph.add.100k.ns',
    what: 'graph: add to a list of 100,000',
    ...atMost(25, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.contains.100k.ns',
    what: 'graph: contains, hit, in a list of 100,000',
    ...atMost(15, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.remove.100k.ns',
    what: 'graph: remove from a list of 100,000',
    ...atMost(30, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.bytes_per_edge',
    what: 'graph: memory per follow edge, both directions',
    ...atMost(12, 'B'),
    bench: 'graph',
  },
  {
    figure: 'graph.add.100.ns',
    what: 'graph: add to a list of 100',
    ...atMost(30, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.contains.100.ns',
    what: 'graph: contains, hit, in a list of 100',
    ...atMost(13, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.remove.100.ns',
    what: 'graph: remove from a list of 100',
    ...atMost(28, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.network.add.ns',
    what: 'graph: an edge added in random order, both directions, in runs',
    ...atMost(420, 'ns'),
    bench: 'graph',
  },
  {
    figure: 'graph.network.bytes_per_edge',
    what: 'graph: memory per edge so added',
    ...atMost(11.5, 'B'),
    bench: 'graph',
  },
  {
    figure: 'snapshot.load_160m.s',
    what: 'load 160M edges from the snapshot',
    ...atMost(8, 's'),
    bench: 'snapshot',
    fullOnly: true,
  },
  {
    figure: 'socialProof.rps_per_core',
    what: 'known followers over HTTP',
    ...atLeast(10_000, 'requests/s'),
    bench: 'serving',
  },
  {
    figure: 'socialProof.p99_ms',
    what: 'known followers over HTTP, p99',
    ...atMost(1, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'fanout.2m.ms',
    what: 'fan-out of one post to 2,000,000 timelines',
    ...atMost(500, 'ms'),
    bench: 'fan-out',
  },
  {
    figure: 'timeline.skeleton.1m.us',
    what: 'timeline skeleton, viewer with 1,000,000 follows',
    ...atMost(5, 'µs'),
    bench: 'timeline',
  },
  {
    figure: 'getTimeline.cpu_ms',
    what: '`getTimeline?limit=50`, CPU of an answer',
    ...atMost(0.6, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'getTimeline.p99_ms',
    what: '`getTimeline?limit=50`, p99 at 80% load',
    ...atMost(1.5, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'getTimeline.random.p99_ms',
    what: 'the same, random arrivals',
    ...atMost(2.5, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'getTimeline.beside_ingest.p99_ms',
    what: 'the same at 80% while the stream catches up',
    ...atMost(60, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'getKnownFollowers.cpu_ms',
    what: '`getKnownFollowers?limit=50`, CPU of an answer',
    ...atMost(0.2, 'ms'),
    bench: 'serving',
  },
  {
    figure: 'decode.frames_per_s',
    what: 'zstd frames decoded on one core',
    ...atLeast(150_000, 'frames/s'),
    bench: 'decode',
  },
  {
    figure: 'ingest.community.events_per_s',
    what: 'wire to applied state, community scope',
    ...atLeast(60_000, 'events/s'),
    bench: 'ingest',
  },
  {
    figure: 'ingest.network.events_per_s',
    what: 'wire to applied state, network scope',
    ...atLeast(25_000, 'events/s'),
    bench: 'ingest',
  },
  {
    figure: 'ingest.community.share_of_bare_decode_and_parse',
    what: 'community scope, share of bare decoding and parsing',
    ...atLeast(0.5, 'of 1'),
    bench: 'ingest',
  },
  {
    figure: 'disk.post_json_ratio',
    what: 'disk a post, with its indexes and counts, to its JSON',
    ...atMost(1.2, 'of its JSON'),
    bench: 'disk',
  },
  {
    figure: 'disk.bytes_per_like',
    what: 'disk a like counted',
    ...atMost(24, 'B'),
    bench: 'disk',
  },
  {
    figure: 'disk.bytes_per_follow',
    what: 'disk a follow: unfollow by key, follow URIs',
    ...atMost(40, 'B'),
    bench: 'disk',
  },
  {
    figure: 'visible.p99_ms',
    what: 'post to visible at 1,000 events/s, p99',
    ...atMost(100, 'ms'),
    bench: 'visible',
  },
  {
    figure: 'memory.rss_mb',
    what: 'resident memory, 100 members × 1,000 follows, 36 h',
    ...atMost(350, 'MB'),
    bench: 'memory',
  },
  {
    figure: 'cpu.at_600_per_s.percent',
    what: 'CPU at 600 events/s',
    ...atMost(10, '% of a core'),
    bench: 'memory',
  },
  {
    figure: 'cold-start.full_page.s',
    what: 'first sign-in with 1,000 follows: a full page',
    ...atMost(5, 's'),
    bench: 'cold-start',
  },
  {
    figure: 'cold-start.recent.s',
    what: 'first sign-in: the last 36 hours of everybody',
    ...atMost(20, 's'),
    bench: 'cold-start',
  },
  {
    figure: 'cold-start.all.s',
    what: 'first sign-in: everything',
    ...atMost(180, 's'),
    bench: 'cold-start',
  },
  {
    figure: 'crashStart.serving_s',
    what: 'serving again after `kill -9`: 10M follows, 1,000 members',
    ...atMost(1, 's'),
    bench: 'crash-start',
  },
]

const byFigure = new Map(targets.map((target) => [target.figure, target]))

export function targetOf(figure: string): Target | undefined {
  return byFigure.get(figure)
}

export function isMet({ better, limit }: Target, value: number): boolean {
  return better === 'less' ? value <= limit : value >= limit
}

/** For example `≤ 0.6`. */
export function limitText({ better, limit }: Target): string {
  return `${better === 'less' ? '≤' : '≥'} ${limit.toLocaleString('en-US')}`
}
