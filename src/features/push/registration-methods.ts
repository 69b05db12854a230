// registerPush and unregisterPush: a member's device that wants push notifications (features/push/). A PDS passes
// these calls to the #bsky_notif service of the server that the app names, which must be us: pushes to other
// apps are signed with the keys of the app's builder. Refused, in the reference's words, where the operator
// has disabled pushes.

import { invalidRequest, XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { AppContext } from '../../http/xrpc/app-context.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { procedure } from '../../http/xrpc/define.ts'
import { endpointOf, readDevice } from './device.ts'

type Input = { serviceDid: string; token: string; platform: string; appId: string }
type Call = SignedInCall<unknown, Input>

const MAX_APP_ID = 200

export const registerPush = procedure(
  'app.bsky.notification.registerPush',
  {},
  async (app, { viewer, input }: Call) => {
    const rules = rulesFor(app, input)
    const device = readDevice(input.token, rules)
    if (typeof device === 'string') throw invalidRequest(device)
    const appId = input.appId.slice(0, MAX_APP_ID)
    await app.writer.send({ kind: 'register-push', did: viewer.did, appId, ...device })
    return { body: undefined }
  },
)

export const unregisterPush = procedure(
  'app.bsky.notification.unregisterPush',
  {},
  async (app, { viewer, input }: Call) => {
    rulesFor(app, input)
    const endpoint = endpointOf(input.token)
    await app.writer.send({ kind: 'unregister-push', did: viewer.did, endpoint })
    return { body: undefined }
  },
)

function rulesFor({ push }: Pick<AppContext, 'push'>, { serviceDid }: Input) {
  if (push?.serviceDids.includes(serviceDid)) return push.rules
  const message = 'This service is not configured to support push token registration.'
  throw new XRPCError(501, 'MethodNotImplemented', message)
}
