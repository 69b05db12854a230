// io.slipstream.notification.getQuietHours and putQuietHours, our own methods: when a member's devices receive no
// pushes. Lexicons: lexicons/io/slipstream/notification/.

import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { procedure, query } from '../../http/xrpc/define.ts'
import { readHours, type SpokenHours, spokenHours } from './quiet-hours.ts'
import { askWriter } from './requests.ts'
import { findQuietHours } from './store/quiet-hours.ts'

type Put = SignedInCall<unknown, Partial<SpokenHours>>

export const getQuietHours = query(
  'io.slipstream.notification.getQuietHours',
  { auth: 'required', showsLabels: false },
  ({ db }, { viewer }: SignedInCall<object>) => {
    const found = findQuietHours(db, viewer.uid)
    return { body: found ? spokenHours(found) : {} }
  },
)

export const putQuietHours = procedure(
  'io.slipstream.notification.putQuietHours',
  {},
  async ({ writer }, { viewer, input }: Put) => {
    const { from, until, timeZone } = input
    const isOff = from === undefined && until === undefined
    const hours = isOff ? undefined : readHours(input)
    if (typeof hours === 'string') throw invalidRequest(hours)
    await askWriter(writer, viewer.did, { kind: 'push/quiet-hours', body: { hours } })
    return { body: hours ? { from, until, timeZone } : {} }
  },
)
