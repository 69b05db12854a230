// All requests that are asked in the first pass.

import { pageRequests } from './page-requests.ts'
import { procedureRequests } from './procedure-requests.ts'
import { queryNames } from './query-names.ts'
import { queriesFor, type Request } from './requests.ts'
import { rpcRequests } from './rpc-requests.ts'
import { graphRequests, timelineRequests } from './timeline-requests.ts'
import type { Cast } from './worst-rows.ts'

export function everyRequest(cast: Cast): Request[] {
  return [
    ...queryNames().flatMap((nsid) => queriesFor(nsid, cast)),
    ...otherRequests(cast),
    ...procedureRequests(cast),
    ...rpcRequests(cast),
  ]
}

/** Routes beside XRPC. */
export function otherRequests(cast: Cast): Request[] {
  return [...timelineRequests(cast), ...graphRequests(cast.actors), ...pageRequests(cast)]
}
