// What a call names and this server does not have yet: accounts, posts and other records that no event here has brought,
// and names of accounts that are known by a reference alone.
// They are requested, as what an answer to a member lacks is (http/xrpc/waiting/), and the call waits a moment and is
// answered again, since the frontend would take them for deleted. What still lacks then is there at a later look.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { inLaterTurn } from '../../../base/util/turn.ts'
import type { FetchRequests } from '../../../http/xrpc/waiting/fetch-requests.ts'
import type { MissingWaits } from '../../../http/xrpc/waiting/missing-waits.ts'
import type { NameWaits } from '../../../http/xrpc/waiting/name-waits.ts'
import type { Reading } from '../reading/reading.ts'
import type { RecordInit } from '../wire/messages.ts'
import type { support } from './support.ts'

export type Arrivals = {
  fetchRequests: Pick<FetchRequests, 'ask'>
  missingWaits: Pick<MissingWaits, 'awaited' | 'fresh'>
  nameWaits: NameWaits
}

type Request = { dids?: string[]; uris?: string[]; postUri?: string }
type Handler<Ended> = (request: never, ended: Ended) => object | Promise<object>
type Missing = { uris: ReadonlySet<string>; dids: ReadonlySet<string> }
type FindMissing = (reading: Reading, request: Request, answer: object) => Missing

/**
 * Who reads is not known, so all of a frontend's users share parts of the budgets: its calls take them in
 * rotation, as four members would, and leave our own members theirs.
 */
const FRONTENDS = [1, 2, 3, 4].map((i) => ({ uid: 0, did: `frontend ${i}` }))
/** What a single request may name (fetch-requests.ts). */
const MAX_REQUESTED = 100
let turn = 0
const NONE: ReadonlySet<string> = new Set()

const missingOf: { [Name in keyof typeof support]?: FindMissing } = {
  getActors: ({ actors }, { dids = [] }) => ({
    uris: NONE,
    dids: new Set(dids.filter((did) => actors.uidOf(did) === 0)),
  }),
  getPostRecords: (reading, { uris = [] }) => missingPosts(reading, uris),
  getThread: (reading, { postUri = '' }) => missingPosts(reading, [postUri]),
  getFeedGeneratorRecords: missingRecords,
  getLabelerRecords: missingRecords,
  getListRecords: missingRecords,
  getStarterPackRecords: missingRecords,
}

/** A post that is known by a reference alone lacks, one that was deleted does not. */
function missingPosts(reading: Reading, uris: readonly string[]): Missing {
  const posts = reading.postsOf(uris)
  const isMissing = (_: string, i: number) => posts[i] === undefined || posts[i].is === 'stub'
  return { uris: new Set(uris.filter(isMissing)), dids: NONE }
}

function missingRecords(_: Reading, { uris = [] }: Request, answer: object): Missing {
  const { records } = answer as { records: RecordInit[] }
  return { uris: new Set(uris.filter((_uri, i) => !records[i]?.cid)), dids: NONE }
}

/** @param parts - `begin` runs before the call is answered again */
export function awaitingMissing<Ended>(
  name: string,
  handler: Handler<Ended>,
  parts: { reading: Reading; arrivals: Arrivals | undefined; begin: (ended: Ended) => void },
): Handler<Ended> {
  const findMissing = (missingOf as Record<string, FindMissing | undefined>)[name]
  const { arrivals, reading, begin } = parts
  if (!findMissing || !arrivals) return handler
  return (request, ended) => {
    const answer = handler(request, ended)
    if (answer instanceof Promise) return answer
    const { dids = [] } = request as Request
    const things = arrivals.missingWaits.fresh(valid(findMissing(reading, request, answer)))
    const unnamed = arrivals.nameWaits.unnamed(dids)
    if (things.uris.length + things.dids.length + unnamed.length === 0) return answer
    const again = () => {
      begin(ended)
      return handler(request, ended)
    }
    // Other slices of the call may have waited for the same.
    return arrived(reading, arrivals, { ...things, unnamed }).then(inLaterTurn(again))
  }
}

type Things = { uris: readonly string[]; dids: readonly string[]; unnamed: readonly number[] }

/** Requests all of it, and resolves once the first fetches are over, or time is up. */
async function arrived(
  { actors }: Reading,
  { fetchRequests, missingWaits, nameWaits }: Arrivals,
  { uris, dids, unnamed }: Things,
): Promise<void> {
  const names = unnamed.map((uid) => actors.didOf(uid))
  const requested = requestedFor(fetchRequests, { uris, dids: [...dids, ...names] })
  const { signal } = new AbortController()
  const isMissing = uris.length + dids.length > 0
  await Promise.all([
    isMissing && missingWaits.awaited({ uris, dids }, { requested, signal, isAll: false }),
    unnamed.length > 0 && nameWaits.awaited(unnamed, { requested, signal }),
  ])
}

async function requestedFor(
  { ask }: Arrivals['fetchRequests'],
  { uris, dids }: { uris: readonly string[]; dids: readonly string[] },
): Promise<void> {
  const request: Promise<void>[] = []
  for (let at = 0; at < Math.max(uris.length, dids.length); at += MAX_REQUESTED) {
    const some = (things: readonly string[]) => things.slice(at, at + MAX_REQUESTED)
    request.push(ask(FRONTENDS[turn++ % FRONTENDS.length], { uris: some(uris), dids: some(dids) }))
  }
  await Promise.all(request)
}

function valid({ uris, dids }: Missing): Missing {
  return { uris: new Set([...uris].filter((uri) => parseRecordUri(uri) !== undefined)), dids }
}
