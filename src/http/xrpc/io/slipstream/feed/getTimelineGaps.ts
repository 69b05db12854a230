// io.slipstream.feed.getTimelineGaps, our own method: whether a stretch of the home timeline touches a gap
// that is not repaired yet. Lexicon: lexicons/io/slipstream/feed/getTimelineGaps.json.

import { isoTime } from '../../../../../base/util/iso-time.ts'
import type { Gap } from '../../../../../data/store/stream/gaps.ts'
import type { SignedInCall } from '../../../call.ts'
import { query } from '../../../define.ts'

type Params = { since?: string; until?: string; limit: number }

export const getTimelineGaps = query(
  'io.slipstream.feed.getTimelineGaps',
  { auth: 'required', showsLabels: false },
  ({ timelineGaps }, { params, reader, viewer }: SignedInCall<Params>) => {
    const { since, until, limit } = params
    const fromUs = since === undefined ? 0 : Date.parse(since) * 1000
    const toUs = (until === undefined ? reader.now : Date.parse(until)) * 1000
    const gaps = timelineGaps(viewer.uid, { fromUs, toUs }, limit)
    return { body: { isWhole: gaps.length === 0, gaps: gaps.map(toView) } }
  },
)

function toView({ cause, state, fromUs, toUs, did }: Gap) {
  const from = fromUs === 0 ? {} : { from: isoTime(fromUs / 1000) }
  return { cause, state, ...from, to: isoTime(toUs / 1000), ...(did === undefined ? {} : { did }) }
}
