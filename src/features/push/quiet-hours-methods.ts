// io.slipstream.notification.getQuietHours and putQuietHours, our own methods: when a member's devices receive no
// pushes. Lexicons: lexicons/io/slipstream/notification/.

import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { procedure, query } from '../../http/xrpc/define.ts'
import { isTimeZone, minutesOf, timeOf } from './quiet-hours.ts'
import { askWriter } from './requests.ts'
import { findQuietHours, type QuietHours } from './store/quiet-hours.ts'

type Input = { from?: string; until?: string; timeZone?: string }
type Put = SignedInCall<unknown, Input>

export const getQuietHours = query(
  'io.slipstream.notification.getQuietHours',
  { auth: 'required', showsLabels: false },
  ({ db }, { viewer }: SignedInCall<object>) => {
    const found = findQuietHours(db, viewer.uid)
    if (!found) return { body: {} }
    const { starts, ends, timeZone } = found
    return { body: { from: timeOf(starts), until: timeOf(ends), timeZone } }
  },
)

export const putQuietHours = procedure(
  'io.slipstream.notification.putQuietHours',
  {},
  async ({ writer }, { viewer, input }: Put) => {
    const hours = readHours(input)
    await askWriter(writer, viewer.did, { kind: 'push/quiet-hours', body: { hours } })
    const { from, until, timeZone } = input
    return { body: hours ? { from, until, timeZone } : {} }
  },
)

/** @throws XRPCError if these are no hours. @returns undefined if there are none */
function readHours({ from, until, timeZone }: Input): QuietHours | undefined {
  if (from === undefined && until === undefined) return undefined
  const starts = minutesOf(from ?? '')
  const ends = minutesOf(until ?? '')
  if (starts === undefined || ends === undefined) {
    throw invalidRequest('from and until must be times of day such as 22:30, or both be missing')
  }
  if (starts === ends) throw invalidRequest('from and until must differ')
  if (timeZone === undefined || !isTimeZone(timeZone)) {
    throw invalidRequest('timeZone must be a name such as Europe/Berlin')
  }
  return { starts, ends, timeZone }
}
