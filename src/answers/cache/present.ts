// Elements of an answer: written at once from what is kept; what is lacking is loaded for all of them
// together, and those are written again; what can't be written takes the slow path.

import { timed } from '../../base/obs/stopwatch.ts'
import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { Reader } from '../hydrate/reader.ts'
import type { CachedViews } from './cached-views.ts'
import type { LabelMemories } from './label-memory.ts'
import { loadMisses } from './load-misses.ts'
import { Page, type Written } from './page.ts'
import type { ViewerMemories } from './viewer-memory.ts'

type PresentParts = {
  hydrator: Hydrator
  kept: CachedViews
  viewers: ViewerMemories
  labels: LabelMemories
  /** How many elements were ready, and how many had to be made or completed. */
  looked: { hits: number; misses: number }
}

export type Ways = {
  /** @returns undefined where the element is not shown */
  fast: (page: Page, id: number) => Written | undefined
  slow: (ids: number[]) => (string | undefined)[]
}

/** Loading shows what is lacking further in: posts in items, accounts in posts. */
const MAX_ROUNDS = 6

/** @returns byte text in the order of `ids`, undefined for what is not shown. */
export function presentFast(
  parts: PresentParts,
  reader: Reader,
  ids: readonly number[],
  ways: Ways,
): (string | undefined)[] {
  const { viewer, labelers, now } = reader
  // What is kept of a viewer says who is blocked, and is the same for all that it looks at.
  if (viewer?.seesThroughBlocks || reader.seesTakenDown) return ways.slow([...ids])
  const { kept, viewers } = parts
  const memory = viewer && viewers.visit(viewer.uid)
  const labels = parts.labels.of(labelers)
  const page = new Page(kept, memory, { labels, now })
  const texts: (string | undefined)[] = new Array(ids.length)
  const load = () => timed('rows', () => loadMisses(page.misses, parts, reader, { memory, labels }))
  const unfit = writeAll(page, ids, { texts, write: ways.fast, load, looked: parts.looked })
  if (memory && memory.uid !== 0) viewers.leave(memory)
  for (const one of page.missing) reader.missing.add(one)
  if (unfit.length === 0) return texts
  const slow = ways.slow(unfit.map((at) => ids[at]!))
  for (const [i, at] of unfit.entries()) texts[at] = slow[i]
  return texts
}

type Writing = {
  texts: (string | undefined)[]
  write: Ways['fast']
  load: () => void
  looked: PresentParts['looked']
}

/** @returns the places of those that the slow path has to present. */
function writeAll(
  page: Page,
  ids: readonly number[],
  { texts, write, load, looked }: Writing,
): number[] {
  const unfit: number[] = []
  let pending = ids.map((_, at) => at)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const uncached: number[] = []
    for (const at of pending) {
      const written = write(page, ids[at]!)
      if (written?.state === 'misses') uncached.push(at)
      else if (written?.state === 'unfit') unfit.push(at)
      else texts[at] = written?.text
    }
    if (round === 0) {
      looked.misses += uncached.length
      looked.hits += ids.length - uncached.length
    }
    if (uncached.length === 0) return unfit
    load()
    pending = uncached
  }
  // So little may be kept that what was loaded is gone again.
  return [...unfit, ...pending].sort((a, b) => a - b)
}
