// io.slipstream.notification.getPushKey, our own method: the key that an app passes as `applicationServerKey`
// when it requests a push subscription from the browser or phone. Lexicon:
// lexicons/io/slipstream/notification/getPushKey.json.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { query } from '../../http/xrpc/define.ts'
import { findPushState } from './store/registrations.ts'

export function getPushKey({ isOn }: { isOn: boolean }) {
  return query(
    'io.slipstream.notification.getPushKey',
    { auth: 'none', showsLabels: false },
    ({ db }) => {
      const state = isOn ? findPushState(db) : undefined
      if (!state) {
        throw new XRPCError(501, 'MethodNotImplemented', 'This server sends no pushes.')
      }
      return { body: { publicKey: state.publicKey } }
    },
  )
}
