// com.atproto.identity.resolveHandle. A PDS that is configured with this AppView asks it, without a
// token, for the handles of accounts that are not its own.

import type { ComAtprotoIdentityResolveHandle } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function resolveHandle({
  names,
}: AppContext): Method<ComAtprotoIdentityResolveHandle.QueryParams> {
  return {
    nsid: 'com.atproto.identity.resolveHandle',
    kind: 'query',
    auth: 'none',
    handler: async ({ params }) => {
      const found = await names.find(params.handle)
      if (!found) throw invalidRequest('Unable to resolve handle')
      return { body: { did: found.did } }
    },
  }
}
