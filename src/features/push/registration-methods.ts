// registerPush and unregisterPush: a member's device that wants push notifications (features/push/). A PDS passes
// these calls to the #bsky_notif service of the server that the app names, which must be us: pushes to other
// apps are signed with the keys of the app's builder. Refused, in the reference's words, where the operator
// has disabled pushes.

import { invalidRequest, XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { procedure } from '../../http/xrpc/define.ts'
import { type DeviceRules, endpointOf, readDevice } from './device.ts'
import { askWriter } from './requests.ts'

type Input = { serviceDid: string; token: string; platform: string; appId: string }
type Call = SignedInCall<unknown, Input>

const MAX_APP_ID = 200

/** `serviceDids`: the names under which apps may know us. */
export type PushRules = { serviceDids: readonly string[]; rules: DeviceRules }

/** @param push - undefined if the operator allows no pushes */
export function registrationMethods(push: PushRules | undefined) {
  const rulesFor = ({ serviceDid }: Input): DeviceRules => {
    if (push?.serviceDids.includes(serviceDid)) return push.rules
    const message = 'This service is not configured to support push token registration.'
    throw new XRPCError(501, 'MethodNotImplemented', message)
  }
  return [
    procedure(
      'app.bsky.notification.registerPush',
      {},
      async ({ writer }, { viewer, input }: Call) => {
        const device = readDevice(input.token, rulesFor(input))
        if (typeof device === 'string') throw invalidRequest(device)
        const appId = input.appId.slice(0, MAX_APP_ID)
        await askWriter(writer, viewer.did, { kind: 'push/register', body: { ...device, appId } })
        return { body: undefined }
      },
    ),
    procedure(
      'app.bsky.notification.unregisterPush',
      {},
      async ({ writer }, { viewer, input }: Call) => {
        rulesFor(input)
        const endpoint = endpointOf(input.token)
        await askWriter(writer, viewer.did, { kind: 'push/unregister', body: { endpoint } })
        return { body: undefined }
      },
    ),
  ]
}
