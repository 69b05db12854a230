// app.bsky.embed.getEmbedExternalView: the card that a link would have in a post that is being written. Such records are
// stored only once a post names them, so their newest versions are read from their accounts' servers while the client
// waits. The answer is empty if they are not at the link's address, or can't be read: the client then shows a link.

import type { AppBskyEmbedGetEmbedExternalView } from '@atproto/api'
import { cardRecord, type FetchedAssociated } from '../../../../../answers/hydrate/card-records.ts'
import type { AssociatedRecord } from '../../../../../answers/hydrate/stored-records.ts'
import { belonging, externalCard } from '../../../../../answers/views/posts/external-card.ts'
import {
  type AssociatedRef,
  toAssociatedRefs,
} from '../../../../../base/atproto/associated-refs.ts'
import { XRPCError } from '../../../../../base/atproto/xrpc-error.ts'
import type { JsonObject } from '../../../../../base/util/json-object.ts'
import { inTurn } from '../../../../../base/util/turn.ts'
import { cardContent } from '../../../../../ingest/indexing/records/card-content.ts'
import { isValidRecord } from '../../../../../ingest/indexing/validation/validate.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { isAway } from '../../../strangers/holdings.ts'
import { fetchRecord } from '../../../strangers/outside-record.ts'

type ThisCall = Call<AppBskyEmbedGetEmbedExternalView.QueryParams>
/** With its whole record, beside what cards show of it. */
type Found = AssociatedRecord & { complete: JsonObject }

const NOTHING = { body: {} }
const TOO_MANY = 429

export const getEmbedExternalView = query(
  'app.bsky.embed.getEmbedExternalView',
  { auth: 'optional', mayBeEmpty: true },
  async (app, call: ThisCall) => {
    const found = await findRecords(app, call)
    return inTurn(call, () => cardOf(app, call, found))
  },
)

function cardOf(
  { hydrator }: AppContext,
  { params, reader }: ThisCall,
  found: readonly Found[],
): MethodResult {
  const records = belonging(found)
  if (!records) return NOTHING
  const shown = [records.document, records.publication].filter((one) => one !== undefined)
  const uris = shown.map(({ uri }) => uri)
  const owners = shown.map(({ uid }) => uid).filter((uid) => uid !== 0)
  const state = hydrator.profiles([...new Set(owners)], reader)
  for (const [subject, said] of hydrator.labels(uris, reader)) state.labels.set(subject, said)
  if (uris.some((uri) => state.labels.get(uri)?.isTakenDown)) return NOTHING
  const card = externalCard(state, records, params.url)
  if (!card) return NOTHING
  const associatedRefs = shown.map(strongRef)
  const external = { ...card, associatedRefs }
  return {
    body: {
      view: { $type: 'app.bsky.embed.external#view', external },
      associatedRefs,
      associatedRecords: (shown as Found[]).map(({ complete: whole }) => whole),
    },
  }
}

/** The first article and its publication, which need not be among those asked for, or the first publication. */
async function findRecords(app: AppContext, call: ThisCall): Promise<Found[]> {
  const refs = refsOf(call.params.uris)
  const found = (await Promise.all(refs.map((ref) => find(app, call, ref)))).filter(
    (record) => record !== undefined,
  )
  const document = found.find(({ collection }) => collection === 'site.standard.document')
  const publications = found.filter(({ collection }) => collection === 'site.standard.publication')
  if (document?.collection !== 'site.standard.document') return publications.slice(0, 1)
  const { site } = document.record
  const [named] = refsOf([site])
  if (!named) return [document]
  const publication = publications.find(({ uri }) => uri === site) ?? (await find(app, call, named))
  return publication ? [document, publication] : [document]
}

type Named = Omit<AssociatedRef, 'cid'>

function refsOf(uris: readonly string[]): readonly Named[] {
  return toAssociatedRefs([...new Set(uris)].map((uri) => ({ uri, cid: '' })))
}

/** @returns undefined if the record does not exist, is invalid or hidden, or can't be read now */
async function find(app: AppContext, call: ThisCall, ref: Named): Promise<Found | undefined> {
  const { reader } = call
  const { did, uri, collection, rkey } = ref
  const repo = { did, uid: app.actors.uidOf(did) }
  if (isAway(app, repo.uid, reader)) return undefined
  try {
    const key = { collection, rkey }
    const request = { key, signal: call.signal, who: call.who, time: call.time }
    const { cid, value } = await fetchRecord(app, repo, request)
    const fetched: FetchedAssociated = { collection, uid: repo.uid, uri, cid }
    // A record may be large, and what takes long is its caller's time.
    return await inTurn(call, () => checked(fetched, value))
  } catch (error) {
    if (error instanceof XRPCError && error.status !== TOO_MANY) return undefined
    throw error
  }
}

function checked(fetched: FetchedAssociated, value: JsonObject): Found | undefined {
  const { collection } = fetched
  if (!isValidRecord(collection, value)) return undefined
  const record = cardRecord(fetched, cardContent(collection, value))
  return record && { ...record, complete: value }
}

function strongRef({ uri, cid }: AssociatedRecord) {
  return { $type: 'com.atproto.repo.strongRef', uri, cid }
}
