// com.atproto.identity.resolveHandle. A PDS configured with this AppView calls it, without a token, for
// handles of accounts that it does not host.

import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const resolveHandle = query(
  'com.atproto.identity.resolveHandle',
  { auth: 'none', showsLabels: false },
  async ({ names }, { params, who, time }: Call<{ handle: string }>) => {
    const found = await names.find(params.handle, { who, time })
    if (!found) throw invalidRequest('Unable to resolve handle')
    return { body: { did: found.did } }
  },
)
