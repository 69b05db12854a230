// Pages that are asked for again: sent as they were written before, as long as the skeleton finds the same items
// and cursors, and all that the views were made from is the same (answers/cache/kept-pages.ts). The skeleton is read
// each time, so that nothing need say when a timeline has changed.

import { PageSources } from '../../../answers/cache/page-sources.ts'
import type { PlaceInList, SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { answerMemory } from '../../../answers/views/json/json-buffer.ts'
import { jsonBytes } from '../../../answers/views/json/ready-json.ts'
import { isTimeUp } from '../../../base/util/turn.ts'
import type { MethodResult } from '../../server/method.ts'
import type { AppContext } from '../app-context.ts'
import type { Call } from '../call.ts'
import { showsNothing } from '../waiting/shows-nothing.ts'

type Read = SkeletonPage<unknown>

/** What an answer was made from, if it is to be kept. */
export type PageRecord = {
  readonly sources: PageSources
  /** The skeletons read, in order. */
  readonly reads: { place: PlaceInList; found: Read }[]
}

/** @param make - makes the answer, and notes in the record what from */
export function keptOrMade(
  { viewCache: { pages, isCurrent } }: Pick<AppContext, 'viewCache'>,
  { nsid, call }: { nsid: string; call: Call<never> },
  {
    skeleton,
    make,
  }: {
    skeleton: (place: PlaceInList) => Read
    make: (record?: PageRecord) => MethodResult
  },
): MethodResult {
  const key = keyOf(nsid, call)
  const known = pages.find(key)
  if (known && isCurrent(known, call.reader)) {
    const reads = known.reads as PageRecord['reads']
    if (reads.every(({ place, found }) => isSameRead(found, skeleton(place)))) {
      pages.use(key)
      for (const one of known.sources.missing) call.reader.missing.add(one)
      return { body: known.body }
    }
  }
  if (!pages.isWorthKeeping(key)) return make()
  const record: PageRecord = { sources: new PageSources(), reads: [] }
  const made = make(record)
  // A page that ended early says less than the next one would, and whether one is empty is asked later.
  if (!record.sources.areWhole || isTimeUp() || showsNothing(made)) return made
  const written = jsonBytes(made.body)
  const kept = pages.keep(key, record, written)
  answerMemory.giveBack(written)
  return { body: kept }
}

function keyOf(nsid: string, { viewer, params }: Call<never>): string {
  return `${nsid} ${viewer?.uid} ${JSON.stringify(params)}`
}

function isSameRead(one: Read, other: Read): boolean {
  const names = Object.keys(other) as (keyof Read)[]
  if (names.length !== Object.keys(one).length) return false
  return names.every((name) =>
    name === 'items' ? areSame(one.items, other.items) : one[name] === other[name],
  )
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  if (some.length !== others.length) return false
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false
  return true
}
