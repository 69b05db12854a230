// Starter packs by name, as both versions of the method find them. There are few enough to scan them all
// (answers/skeleton/popular-records.ts).

import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import type { MaybeLater } from '../../../base/util/turn.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { namedRecords } from '../naming/named-records.ts'
import type { PagePart } from '../paging/paged-method.ts'

export const SEARCHED_PACKS = 'by a part of the name, among those indexed here'

export function packsByName(
  app: Needs<'search' | 'actors'>,
  { call, range }: PagePart<Call<{ q: string }>, unknown>,
): MaybeLater<SkeletonPage<string>> {
  const { q } = call.params
  if (q.trim() === '') return { items: [], cursor: undefined }
  const request = { collection: 'app.bsky.graph.starterpack', query: q, ...range } as const
  return namedRecords(app, request, call)
}
