// A list whose creator no member follows, where nobody else answers: a member who opens it
// waits until its record and items have arrived from the creator's PDS, or can't be had. A list that is
// stored follows the stream; one that exists nowhere is requested again only after a while
// (fetch-requests.ts), so asking is cheap.

import { asVisitor } from '../../../answers/hydrate/reader.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { listByUri } from '../lists/list-by-uri.ts'
import { whenRequested } from '../waiting/when-requested.ts'
import { PAGE_MAX_WAIT_MS } from './strangers-pages.ts'

type ListCall = Pick<Call<{ list: string }>, 'params' | 'reader' | 'signal'>
type RecordKey = NonNullable<ReturnType<typeof parseRecordUri>>
type Dependencies = Needs<
  'actors' | 'fetchRequests' | 'hydrator' | 'listPages' | 'strangersPages' | 'underWay' | 'waits'
>

/** @returns undefined if there is nothing to wait for */
export function strangersList(app: Dependencies, call: ListCall): Promise<void> | undefined {
  const { params, reader } = call
  const key = parseRecordUri(params.list)
  if (!reader.viewer || !key || isHere(app, call, key)) return undefined
  const isFetched = app.strangersPages.isFetched({ uid: app.actors.uidOf(key.did) })
  return isFetched && listByUri(app, params.list) ? whenHere(app, call, key) : undefined
}

/** Its record, and all that its first reading brought. */
function isHere(
  app: Pick<Dependencies, 'hydrator' | 'listPages' | 'underWay'>,
  { params, reader }: ListCall,
  key: RecordKey,
): boolean {
  if (app.underWay.records([key])) return false
  const id = listByUri(app, params.list)?.id ?? 0
  return id !== 0 && app.hydrator.lists([id], asVisitor(reader)).lists.has(id)
}

async function whenHere(
  { fetchRequests, underWay, waits }: Dependencies,
  { params, reader, signal }: ListCall,
  key: RecordKey,
): Promise<void> {
  const uris = [params.list]
  const requested = fetchRequests.ask(reader.viewer, { uris, dids: [key.did] })
  // The record is written first; once its job is done, the list's items are here too.
  const isThere = whenRequested(requested, () => underWay.records([key]))
  await Promise.resolve() // by then an earlier request is visible
  await waits.awaited(uris, { isThere, isShared: true, maxWaitMs: PAGE_MAX_WAIT_MS, signal })
}
