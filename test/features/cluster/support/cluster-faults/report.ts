// The results of a run of faults, and the failures found in it.

export type Refusals = Record<string, number>

export type FaultReport = {
  kinds: string[]
  failed: {
    reads: string[]
    lost: string[]
    doubled: string[]
    reordered: string[]
    /** Acknowledged changes that the member's next request, on any server, did not show. */
    stale: string[]
    /** Differences between the servers' answers after the run. */
    differences: string[]
    /** Other failures of a kind of fault. */
    others: string[]
  }
  /** Records that arrived by the stream; all must be read from members’ timelines. */
  streamed: number
  reads: number
  /**
   * Reads answered with stale state, and (`retries`) requests that another server had to answer.
   */
  behind: number
  retries: number
  /** A program's posts, each repeated until acknowledged, and refused attempts by their answers. */
  posts: { acknowledged: number; refused: Refusals }
  /** Changes of members' private state, likewise. */
  changes: { acknowledged: number; refused: Refusals }
  /**
   * The longest time from a server’s end until others had its buckets, and from a record’s arrival
   * until its reader had it.
   */
  takenMs: number
  slowestMs: number
}

export function newReport(kinds: string[]): FaultReport {
  const failed = { reads: [], lost: [], doubled: [], reordered: [], stale: [] }
  return {
    kinds,
    failed: { ...failed, differences: [], others: [] },
    streamed: 0,
    reads: 0,
    behind: 0,
    retries: 0,
    takenMs: 0,
    slowestMs: 0,
    posts: { acknowledged: 0, refused: {} },
    changes: { acknowledged: 0, refused: {} },
  }
}

export function nothingFailed(): FaultReport['failed'] {
  return newReport([]).failed
}

export function isBad({ failed }: FaultReport): boolean {
  return Object.values(failed).some((all) => all.length > 0)
}

export function countRefusal(refused: Refusals, status: number, error = ''): void {
  const what = `${status} ${error}`.trim()
  refused[what] = (refused[what] ?? 0) + 1
}

/** Summarizes all runs in one line. */
export function sumUp(reports: readonly FaultReport[]): string {
  const total = (of: (value: FaultReport) => number) =>
    reports.reduce((sum, value) => sum + of(value), 0)
  const failed = (name: keyof FaultReport['failed']) =>
    total((report) => report.failed[name].length)
  const refused = (name: 'posts' | 'changes') =>
    total((value) => Object.values(value[name].refused).reduce((sum, n) => sum + n, 0))
  const most = (of: (report: FaultReport) => number) =>
    `${(Math.max(0, ...reports.map(of)) / 1000).toFixed(1)} s`
  return [
    `${reports.length} runs, ${reports.filter(isBad).length} with something wrong:`,
    `${failed('reads')} of ${total(({ reads }) => reads)} reads failed,`,
    `${failed('lost')} lost, ${failed('doubled')} doubled, ${failed('reordered')} reordered,`,
    `${failed('stale')} stale, ${failed('differences')} differences between servers,`,
    `${failed('others')} other faults;`,
    `acknowledged ${total((report) => report.posts.acknowledged)} posts (${refused('posts')} attempts were refused)`,
    `and ${total((report) => report.changes.acknowledged)} changes (${refused('changes')});`,
    `at most ${most(({ takenMs }) => takenMs)} until others had a server’s buckets,`,
    `${most(({ slowestMs }) => slowestMs)} until a record was read.`,
  ].join(' ')
}
