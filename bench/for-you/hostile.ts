// How far hostile accounts move readers' pages, on average over networks of several seeds.

import type { BenchResult } from '../runner/result.ts'
import { pagesOf, play } from './engine-run.ts'
import { createNetwork, type Hostile, type NetworkSize } from './network.ts'
import { moved, type Pages, recall } from './scores.ts'
import { createTask, type Task } from './task.ts'

const KINDS = ['usual', 'mimic', 'noisy', 'loose', 'sly', 'twins'] as const

type Options = {
  /** Of the people, how many are members. */
  share: number
  bytes: number
  seeds: readonly number[]
  prefix: string
}

/** How much of the readers' pages differs from those in the same network without hostile accounts. */
export function hostileFigures(
  size: NetworkSize,
  { share, bytes, seeds, prefix }: Options,
): BenchResult[] {
  const taskWith = (kind: Hostile, seed: number) =>
    createTask(createNetwork(size, seed, kind), share, seed)
  const pagesWith = (task: Task) =>
    pagesOf(task.network, play(task.network, { ...task, bytes }), task)
  const peaceful = seeds.map((seed) => pagesWith(taskWith('none', seed)))
  return KINDS.flatMap((kind) => {
    const all = seeds.map((seed, i) => {
      const task = taskWith(kind, seed)
      return figuresOf(task, pagesWith(task), peaceful[i]!)
    })
    return Object.keys(all[0]!).map((figure) => {
      const value = all.reduce((sum, of) => sum + of[figure as keyof typeof of], 0) / all.length
      return { name: `for-you.${prefix}${kind}.${figure}`, value, unit: 'share' }
    })
  })
}

function figuresOf({ network, held }: Task, pages: Pages, peaceful: Pages) {
  const { firstRingPost, firstHostile, liker } = network
  const shown = [...pages.values()].flat()
  const ring = shown.filter((post) => post >= firstRingPost).length
  const hostile = liker.reduce((sum, value) => sum + (value >= firstHostile ? 1 : 0), 0)
  return {
    likes: hostile / liker.length,
    moved: moved(pages, peaceful),
    recall50: recall(pages, held),
    ring_posts: ring / shown.length,
  }
}
