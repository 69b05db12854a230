// Compares the answers of this tree with another's: both read the same recorded events from the same
// simulated network, and are asked the same requests. Bodies must be the same, byte for byte, but for
// differences that a file names with a reason. Cost is compared by serving.ts.

import { writeFileSync } from 'node:fs'
import { tidAt } from '../../test/support/records.ts'
import type { Answer, Recorded } from './answers/ask.ts'
import { type Found, groupByCause, readExceptions, reasonFor } from './answers/causes.ts'
import { compareAnswers } from './answers/differences.ts'
import { documents, refusals, timelinePages } from './answers/other-requests.ts'
import { queriesFor } from './answers/queries.ts'
import { emptyTally, type Report, reportLines, type Tally } from './answers/report.ts'
import { createScene } from './answers/scene.ts'
import { type KnownMethod, methodsOf } from './answers/tree.ts'
import { earlyWrites, lastWrites, laterWrites, wrongWrites } from './answers/writes.ts'
import { readTrees } from './read-trees.ts'

const USAGE = 'node bench/compare/answers.ts OTHER_TREE [--seed 1] [--named FILE] [--json FILE]'
const FEED_POSTS = 60
const LANES = 8
/** Stands for a page that only the other tree has. */
const NONE: Answer = { status: 0, type: '', headers: {}, text: '' }

const { values, trees } = readTrees(USAGE, {
  seed: { type: 'string', default: '1' },
  named: { type: 'string' },
  json: { type: 'string' },
})

const exceptions = readExceptions(values.named)
const seed = Number(values.seed)
const methods: Record<string, Tally> = {}
const differences: Found[] = []
/** Requests whose answers differed once, but not when they were asked again. */
const passing: string[] = []
const scene = await createScene(trees, seed)
try {
  const report = await compareTrees()
  for (const line of reportLines(report)) console.log(line)
  if (values.json) writeFileSync(values.json, JSON.stringify(report, null, 1))
  if (report.causes.some(({ reason }) => reason === undefined)) process.exitCode = 1
} finally {
  await scene.close()
}

async function compareTrees(): Promise<Report> {
  const { cast, cid, network, trees, startMs } = scene
  const paths = trees.map(({ path }) => path)
  const known = paths.map(methodsOf) as [Map<string, KnownMethod>, Map<string, KnownMethod>]
  const shared = [...known[1].values()].filter(({ nsid }) => known[0].has(nsid))
  const only = (a: 0 | 1, b: 0 | 1) => [...known[a].keys()].filter((nsid) => !known[b].has(nsid))
  const requested = shared.filter(({ kind }) => kind === 'query')
  const queries = requested.flatMap((knownMethod) => queriesFor(knownMethod, cast))
  const events = await scene.play(() => compareAll(earlyWrites(cast)))
  network.feeds.gives(cast.posts.concat(cast.posts).slice(0, FEED_POSTS))
  await compareAll(laterWrites(cast, cid))
  const reads = [...queries, ...timelinePages(paths, cast), ...refusals(paths), ...documents()]
  progress(`${reads.length} requests, once to warm up`)
  await inLanes(reads, askBoth)
  await scene.quiet('the first look')
  progress('once more, compared')
  const answers = await inLanes(reads, askBoth)
  for (const [i, both] of answers.entries()) judgePages(reads[i]!, await lasting(reads[i]!, both))
  const isShared = ({ method }: Recorded) => shared.some(({ nsid }) => nsid === method)
  await compareAll(lastWrites(cast, cid).filter(isShared))
  await compareAll(wrongWrites(shared.filter(({ kind }) => kind === 'procedure')))
  await compareAll(queries.filter(({ about, path }) => about === 'subject' && !path.includes('?')))
  const causes = groupByCause(differences, exceptions)
  const notRequested = { onlyBefore: only(0, 1), onlyNow: only(1, 0) }
  const [before = '', now = ''] = paths
  return {
    trees: { before, now },
    seed,
    startMs,
    events,
    methods,
    passing,
    notRequested,
    causes,
    differences,
  }
}

function askBoth(request: Recorded): Promise<[Answer[], Answer[]]> {
  const [before, now] = scene.trees
  return Promise.all([scene.ask(before, request), scene.ask(now, request)])
}

/** Reads that differ are asked again, alone: some count only as far as their time permits. */
async function lasting(
  request: Recorded,
  both: [Answer[], Answer[]],
): Promise<[Answer[], Answer[]]> {
  if (areSame(both)) return both
  const again = await askBoth(request)
  if (areSame(again)) passing.push(request.path)
  return again
}

function areSame([before, now]: [Answer[], Answer[]]): boolean {
  const isSame = (answer: Answer, i: number) =>
    compareAnswers(answer, now[i] ?? NONE, withoutOwnTimes).same !== undefined
  return before.length === now.length && before.every(isSame)
}

/** One after the other, since writes may undo each other. */
async function compareAll(requests: readonly Recorded[]): Promise<void> {
  for (const request of requests) judgePages(request, await askBoth(request))
}

/** Some requests wait for other servers; nobody else has to wait for them. */
async function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i]!)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return results
}

function judgePages(request: Recorded, [before, now]: [Answer[], Answer[]]): void {
  const pages = Math.max(before.length, now.length)
  for (let page = 0; page < pages; page++) judge(request, page, [before[page], now[page]])
}

function judge(request: Recorded, page: number, [before, now]: [Answer?, Answer?]): void {
  const { method, viewer = 'a visitor', path, about } = request
  const tally = methods[method] ?? emptyTally()
  methods[method] = tally
  tally.requests++
  const sent = request.body === undefined ? '' : ` ${JSON.stringify(request.body).slice(0, 200)}`
  const text = `${about}, page ${page + 1}, ${viewer}: ${path}${sent}`
  const verdict = compareAnswers(before ?? NONE, now ?? NONE, withoutOwnTimes)
  if (verdict.same) {
    tally[verdict.same]++
    return
  }
  const found = verdict.differences.map((difference) => ({ ...difference, method, request: text }))
  differences.push(...found)
  const isNamed = found.every((item) => reasonFor(exceptions, item) !== undefined)
  tally[isNamed ? 'named' : 'different']++
}

/** Times and keys that a tree took from its own clock, when it was asked to write. */
function withoutOwnTimes(text: string): string {
  const since = new Date(scene.sentAtMs).toISOString()
  const sinceKey = tidAt(scene.sentAtMs * 1000)
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (at) => (at >= since ? '(now)' : at))
    .replaceAll(/\b3[2-7a-z]{12}\b/g, (key) => (key >= sinceKey ? '(key)' : key))
}

function progress(text: string): void {
  console.error(text)
}
