// The filters sent to Jetstream: always the indexed collections; the accounts too if strangers' records are
// left out (scope `authors`) and the accounts are few enough for the server to filter by.

import type { StreamFilters } from '@slipstream/jetstream'
import { collections } from '../../../base/atproto/collections.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { type IndexScope, isInCircle } from '../../indexing/index-context.ts'

const MAX_DIDS = 10_000

/** `others`: DIDs to include as well if accounts are named at all. */
export function streamFilters(
  scope: IndexScope,
  actors: ActorReader,
  others: readonly string[],
): StreamFilters {
  const dids = scope === 'authors' ? authorDids(actors, others, MAX_DIDS) : undefined
  return { collections, dids }
}

/** @returns undefined if there are more. */
export function authorDids(
  actors: ActorReader,
  others: readonly string[],
  most: number,
): string[] | undefined {
  const dids = new Set(others)
  for (let uid = 1; uid <= actors.count; uid++) {
    if (!isInCircle(actors, uid)) continue
    if (dids.size === most) return undefined
    dids.add(actors.didOf(uid))
  }
  return [...dids]
}
