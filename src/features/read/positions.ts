// io.slipstream.feed.getPosition and putPosition, our own methods: where a member stopped reading a timeline,
// for all of their devices. Lexicons: lexicons/io/slipstream/feed/.

import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import { isoTime } from '../../base/util/iso-time.ts'
import type { SignedInCall } from '../../http/xrpc/call.ts'
import { procedure, query } from '../../http/xrpc/define.ts'
import { isPosition, isTimeline } from './position-names.ts'
import { askWriter } from './requests.ts'
import { findPosition } from './store/positions.ts'

type Get = SignedInCall<{ timeline: string }>
type Put = SignedInCall<unknown, { timeline: string; position: string }>

export const getPosition = query(
  'io.slipstream.feed.getPosition',
  { auth: 'required', showsLabels: false },
  ({ db }, { viewer, params }: Get) => {
    const found = findPosition(db, viewer.uid, timelineOf(params.timeline))
    if (!found) return { body: {} }
    return { body: { position: found.position, updatedAt: isoTime(found.updatedAt) } }
  },
)

export const putPosition = procedure(
  'io.slipstream.feed.putPosition',
  {},
  async ({ writer }, { viewer, input }: Put) => {
    const { position } = input
    const timeline = timelineOf(input.timeline)
    if (!isPosition(position)) {
      throw invalidRequest('position must be a cursor or startCursor of a feed')
    }
    await askWriter(writer, viewer.did, { kind: 'read/position', body: { timeline, position } })
    return { body: { position } }
  },
)

/** @throws if it names no timeline */
function timelineOf(name: string): string {
  if (isTimeline(name)) return name
  throw invalidRequest('timeline must be "following", or the at-URI of a list or feed')
}
