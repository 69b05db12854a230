// Whether For You is good: what readers of a seeded network with latent tastes will like in the next six hours,
// recall and nDCG at 50 beside three baselines, in the same run: most liked, item-item cosine, and alternating
// least squares (`implicit`, in a temporary Python environment). Also on MovieLens 100k, how far hostile accounts
// move a page, and what a like and a page cost. See docs/FOR-YOU.md.

import { createState } from '../src/features/for-you/engine/layout.ts'
import { findPost } from '../src/features/for-you/engine/posts.ts'
import { createScratch, recommend, recommending } from '../src/features/for-you/engine/recommend.ts'
import { createRandom } from '../test/support/random.ts'
import { type AlsResult, openPython, type Python } from './for-you/als.ts'
import { itemCosine, MOST_LIKES, mostLiked } from './for-you/baselines.ts'
import { keyOf, pagesOf, play, timeOf } from './for-you/engine-run.ts'
import { hostileFigures } from './for-you/hostile.ts'
import { memoryFigures } from './for-you/memory.ts'
import { movieLensFigures } from './for-you/movielens.ts'
import { createNetwork, type Network, type NetworkSize } from './for-you/network.ts'
import { ndcg, type Pages, recall } from './for-you/scores.ts'
import { createTask, type Task } from './for-you/task.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { bestNs, onceNs, sink } from './support/cpu-time.ts'

const FULL: NetworkSize = { people: 20_000, days: 7, niches: 300, postsADay: 10_000 }
/** Where three readers in ten have a niche with a ring. */
const MIDDLE: NetworkSize = { people: 4_000, days: 4, niches: 60, postsADay: 2_000 }
const SMALL: NetworkSize = { people: 2_000, days: 3, niches: 40, postsADay: 1_200 }
const DAY = 1440
const SEED = 1
const DEFAULT_BYTES = 96 << 20
/** For the small run, as large in relation to the network as the default for the full one. */
const SMALL_BYTES = 16 << 20
const MIDDLE_BYTES = 24 << 20
/** Networks differ by their seed, and a small one's more. */
const MIDDLE_SEEDS = [1, 2, 3, 4, 5, 6]
const READER_LIKES = 2_000

export function bench(options: BenchOptions): BenchResult[] {
  return wantsOnlyMiddle(options) ? middleFigures() : allFigures(options)
}

function allFigures({ full, wants }: BenchOptions): BenchResult[] {
  const size = full ? FULL : SMALL
  const bytes = full ? DEFAULT_BYTES : SMALL_BYTES
  const network = createNetwork(size, SEED)
  const task = createTask(network, 0.05, SEED)
  const python = wants('for-you.als') || wants('for-you.movielens') ? openPython() : undefined
  try {
    const als = python && alsOf(python, task)
    // A tenth of what ALS needs; about the same if it can't run here.
    const tenth = Math.floor((als?.bytes ?? network.liker.length * 20) / 10)
    return [
      ...scored('engine', pagesWith(task, bytes), task),
      ...scored('tenth', pagesWith(task, tenth), task),
      { name: 'for-you.tenth.mb', value: tenth / 2 ** 20, unit: 'MB' },
      ...baselines(task),
      ...(als ? alsFigures(als, task) : []),
      ...hostileFigures(size, { share: 0.05, bytes, seeds: [SEED], prefix: '' }),
      ...(full ? middleFigures() : []),
      ...costs(network, bytes),
      ...memoryFigures(network, bytes),
      ...(python ? movieLensFigures(python) : []),
    ]
  } finally {
    python?.close()
  }
}

/** The small network takes a minute, all of it several. */
function wantsOnlyMiddle({ wants }: BenchOptions): boolean {
  return wants('for-you.middle') && !wants('for-you.engine')
}

function middleFigures(): BenchResult[] {
  const options = { share: 0.1, bytes: MIDDLE_BYTES, seeds: MIDDLE_SEEDS, prefix: 'middle.' }
  return hostileFigures(MIDDLE, options)
}

function pagesWith(task: Task, bytes: number): Pages {
  return pagesOf(task.network, play(task.network, { ...task, bytes }), task)
}

function scored(who: string, pages: Pages, { held }: Task): BenchResult[] {
  return [
    { name: `for-you.${who}.recall50`, value: recall(pages, held), unit: 'share' },
    { name: `for-you.${who}.ndcg50`, value: ndcg(pages, held), unit: 'share' },
  ]
}

function baselines(task: Task): BenchResult[] {
  const { network, own, until } = task
  const spans = { all: { from: 0, until }, day: { from: until - DAY, until } }
  return [
    ...scored('most_liked', mostLiked(network, own, spans.all), task),
    ...scored('most_liked_today', mostLiked(network, own, spans.day), task),
    ...scored('item_cosine', itemCosine(network, own, { from: until - 2 * DAY, until }), task),
  ]
}

function alsOf(python: Python, { network, own, until }: Task): AlsResult {
  const likes = Map.groupBy(network.liker.keys(), (i) => network.liker[i]!)
  const isTaken = (i: number) =>
    network.minute[i]! < until && likes.get(network.liker[i]!)!.length <= MOST_LIKES
  return python.als({
    liker: network.liker.filter((_, i) => isTaken(i)),
    post: network.post.filter((_, i) => isTaken(i)),
    readers: Int32Array.from(own.keys()),
    fresh: Uint8Array.from(network.postMinute, (minute) =>
      minute < until && minute > until - 1.5 * DAY ? 1 : 0,
    ),
  })
}

function alsFigures(als: AlsResult, task: Task): BenchResult[] {
  const readers = [...task.own.keys()]
  const pages = (of: number[][]) => new Map(readers.map((reader, i) => [reader, of[i]!]))
  return [
    ...scored('als', pages(als.all), task),
    ...scored('als_fresh', pages(als.fresh), task),
    { name: 'for-you.als.mb', value: als.bytes / 2 ** 20, unit: 'MB' },
    { name: 'for-you.als.training_s', value: als.seconds, unit: 's' },
  ]
}

function costs(network: Network, bytes: number): BenchResult[] {
  const members = new Set(Array.from({ length: network.people / 50 }, (_, i) => i * 50))
  const options = { bytes, members, until: network.endMinute }
  let state = createState(1 << 20, 1)
  const likeNs = onceNs(network.liker.length, () => {
    state = play(network, options)
  })
  const random = createRandom(SEED)
  const count = network.liker.length
  const liked = Array.from({ length: READER_LIKES }, (_, i) => {
    const at = Math.floor(count - (count * i) / READER_LIKES / 2) - 1 - random.below(3)
    const post = findPost(state, keyOf(network, network.post[at]!))
    return { post, timeMs: timeOf(network.minute[at]!) }
  })
  const scratch = createScratch()
  const page = { liked, limit: 400, reader: -1 }
  const pageNs = bestNs(20, () => {
    for (let i = 0; i < 20; i++) {
      sink.value += recommend(state, scratch, page).length
    }
  })
  const stepNs = longestStepNs(() => recommending(state, scratch, page))
  return [
    { name: 'for-you.like.us', value: likeNs / 1000, unit: 'µs' },
    { name: 'for-you.page_2000_likes.ms', value: pageNs / 1e6, unit: 'ms' },
    { name: 'for-you.longest_step.ms', value: stepNs / 1e6, unit: 'ms' },
  ]
}

/** Of the steps between which a serving thread turns to others, each as fast as it was in the best of twenty runs. */
function longestStepNs(start: () => Generator<void, unknown>): number {
  const best: number[] = []
  for (let run = 0; run < 20; run++) {
    const steps = start()
    let isDone = false
    for (let i = 0; !isDone; i++) {
      const ns = onceNs(1, () => {
        isDone = steps.next().done === true
      })
      best[i] = Math.min(best[i] ?? Number.POSITIVE_INFINITY, ns)
    }
  }
  return Math.max(...best)
}
