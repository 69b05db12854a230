// com.atproto.identity.resolveHandle. A PDS that is configured with this AppView asks it, without a
// token, for the handles of accounts that are not its own.

import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const resolveHandle = query(
  'com.atproto.identity.resolveHandle',
  { auth: 'none', showsLabels: false },
  async ({ names }, { params }: Call<{ handle: string }>) => {
    const found = await names.find(params.handle)
    if (!found) throw invalidRequest('Unable to resolve handle')
    return { body: { did: found.did } }
  },
)
