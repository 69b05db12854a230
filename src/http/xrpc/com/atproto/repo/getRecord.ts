// com.atproto.repo.getRecord. A PDS that is configured with this AppView asks it, without a token,
// for records of repositories that are not its own. From our index where the whole record is kept,
// else from the PDS that the account's DID document names.

import type { ComAtprotoRepoGetRecord } from '@atproto/api'
import { NO_LABELERS } from '../../../../../answers/hydrate/labelers.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method } from '../../../../server/method.ts'
import type { NamedActor } from '../../../actor-names.ts'
import type { AppContext } from '../../../app-context.ts'
import { DISCOVER, isDiscover } from '../../../discover-feed.ts'
import { fetchRecord, notLocated } from '../../../outside-record.ts'

type Params = ComAtprotoRepoGetRecord.QueryParams

export function getRecord(serving: AppContext): Method<Params> {
  return {
    nsid: 'com.atproto.repo.getRecord',
    kind: 'query',
    auth: 'optional',
    handler: async ({ params, signal }) => {
      const repo = await serving.names.find(params.repo)
      if (!repo || isHidden(serving, repo)) {
        throw invalidRequest(`Could not find repo: ${params.repo}`)
      }
      const uri = `at://${repo.did}/${params.collection}/${params.rkey}`
      if (isTakenDown(serving, uri)) throw notLocated(uri)
      const found = ours(serving, repo, params)
      if (found) return { body: found }
      const asked = fetchRecord(serving, repo, { key: params, signal })
      const isReplaceable = isDiscover(uri) && params.cid === undefined
      return { body: await (isReplaceable ? asked.catch(() => standIn(uri)) : asked) }
    },
  }
}

function isHidden({ hydrator }: AppContext, { uid }: NamedActor): boolean {
  if (uid === 0) return false
  return hydrator.profiles([uid], undefined).actors.get(uid)?.hiddenAs !== undefined
}

/** By us; whose labels count is a client's business, and this is asked by servers. */
function isTakenDown({ hydrator }: AppContext, uri: string): boolean {
  return hydrator.labels([uri], NO_LABELERS).get(uri)?.isTakenDown ?? false
}

/** @returns undefined where our index can't say. */
function ours({ records }: AppContext, { uid, did }: NamedActor, params: Params) {
  const { collection, rkey, cid } = params
  const found = uid === 0 ? undefined : records.find({ uid, collection, rkey })
  const uri = `at://${did}/${collection}/${rkey}`
  if (found === 'gone') throw notLocated(uri)
  if (!found || (cid !== undefined && found.cid !== cid)) return undefined
  return { uri, cid: found.cid, value: found.value }
}

/** Without a CID: these are not the bytes that stand there. */
function standIn(uri: string) {
  return { uri, value: DISCOVER.value }
}
