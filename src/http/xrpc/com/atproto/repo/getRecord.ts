// com.atproto.repo.getRecord. A PDS configured with this AppView calls it, without a token, for records of
// repositories that it does not host. Reads our index if it keeps the whole record, else the PDS that the
// account's DID document names.

import type { ComAtprotoRepoGetRecord } from '@atproto/api'
import { asEveryone, type Reader } from '../../../../../answers/hydrate/reader.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { DISCOVER, isDiscover } from '../../../feeds/discover-feed.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { isAway } from '../../../strangers/holdings.ts'
import { fetchRecord, notLocated } from '../../../strangers/outside-record.ts'

type Params = ComAtprotoRepoGetRecord.QueryParams

export const getRecord = query(
  'com.atproto.repo.getRecord',
  { auth: 'optional', showsLabels: false },
  async (app, { params, reader, signal, who, time }: Call<Params>) => {
    const repo = await app.names.find(params.repo, { who, time })
    if (!repo || isAway(app, repo.uid, reader)) {
      throw invalidRequest(`Could not find repo: ${params.repo}`)
    }
    const uri = `at://${repo.did}/${params.collection}/${params.rkey}`
    if (isTakenDown(app, uri, reader)) throw notLocated(uri)
    const found = ours(app, repo, params)
    if (found) return { body: found }
    const request = fetchRecord(app, repo, { key: params, signal, who, time })
    const isReplaceable = isDiscover(uri) && params.cid === undefined
    return { body: await (isReplaceable ? request.catch(() => standIn(uri)) : request) }
  },
)

/** Checks only our own takedowns: the callers are servers, and labelers are a client's choice. */
function isTakenDown({ hydrator }: Needs<'hydrator'>, uri: string, reader: Reader): boolean {
  return hydrator.labels([uri], asEveryone(reader)).get(uri)?.isTakenDown ?? false
}

/** @returns undefined if our index does not have it */
function ours({ records }: Needs<'records'>, { uid, did }: NamedActor, params: Params) {
  const { collection, rkey, cid } = params
  const found = uid === 0 ? undefined : records.find({ uid, collection, rkey })
  const uri = `at://${did}/${collection}/${rkey}`
  if (found === 'gone') throw notLocated(uri)
  if (!found || (cid !== undefined && found.cid !== cid)) return undefined
  return { uri, cid: found.cid, value: found.value }
}

/** Omits the CID, since these are not the original bytes. */
function standIn(uri: string) {
  return { uri, value: DISCOVER.value }
}
