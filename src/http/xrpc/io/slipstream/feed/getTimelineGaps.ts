// io.slipstream.feed.getTimelineGaps, our own: whether a stretch of the home timeline touches a gap that
// is not repaired yet. Lexicon: lexicons/io/slipstream/feed/getTimelineGaps.json.

import type { Gap } from '../../../../../data/store/gaps.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

type Params = { since?: string; until?: string; limit: number }

export function getTimelineGaps(serving: AppContext): Method<Params> {
  return {
    nsid: 'io.slipstream.feed.getTimelineGaps',
    kind: 'query',
    auth: 'required',
    handler: ({ params, viewer }) => {
      const { uid } = viewerOf(serving.actors, viewer!)
      const { since, until, limit } = params
      const fromUs = since === undefined ? 0 : Date.parse(since) * 1000
      const toUs = (until === undefined ? Date.now() : Date.parse(until)) * 1000
      const gaps = serving.timelineGaps(uid, { fromUs, toUs }, limit)
      return { body: { isWhole: gaps.length === 0, gaps: gaps.map(toView) } }
    },
  }
}

function toView({ cause, state, fromUs, toUs, did }: Gap) {
  const from = fromUs === 0 ? {} : { from: isoTime(fromUs) }
  return { cause, state, ...from, to: isoTime(toUs), ...(did === undefined ? {} : { did }) }
}

function isoTime(us: number): string {
  return new Date(us / 1000).toISOString()
}
