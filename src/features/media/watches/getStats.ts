// io.slipstream.video.getStats, our own method: how long the viewer's own videos were watched, by post and
// day. Lexicon: lexicons/io/slipstream/video/getStats.json.

import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { forbidden, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { SignedInCall } from '../../../http/xrpc/call.ts'
import type { MethodDefinition } from '../../../http/xrpc/define.ts'
import { pagedMethod } from '../../../http/xrpc/paging/paged-method.ts'
import type { MediaConfig } from '../media-config.ts'
import type { VideoWatchRow } from '../store/video-watches.ts'
import { videoStats } from './video-stats.ts'

const POST = 'app.bsky.feed.post'

type StatsCall = SignedInCall<{ uri?: string; limit: number; cursor?: string }>

type StatsDays = Pick<MediaConfig, 'videoStatsDays'>

export function getStats({ videoStatsDays: retentionDays }: StatsDays): MethodDefinition {
  return pagedMethod(
    'io.slipstream.video.getStats',
    { auth: 'required', showsLabels: false },
    {
      about(_app, { viewer, params }: StatsCall) {
        if (retentionDays === 0) {
          throw new XRPCError(501, 'MethodNotImplemented', 'This server counts nothing.')
        }
        return params.uri === undefined ? undefined : ownPost(viewer.did, params.uri)
      },
      skeleton: ({ db }, { call, about, range }) =>
        videoStats(db, { author: call.viewer.uid, rkey: about, ...range }),
      present: (_app, rows, { call }) => rows.map((row) => statOf(call.viewer.did, row)),
      body: (stats, { cursor }) => ({ stats, cursor, keptDays: retentionDays }),
    },
  )
}

function statOf(did: string, { rkey, day, milliseconds, sessions }: VideoWatchRow) {
  return {
    uri: recordUri(did, POST, rkey),
    date: new Date(day * DAY_MS).toISOString().slice(0, 10),
    seconds: Math.round(milliseconds / 1000),
    sessions,
  }
}

/**
 * @returns the post's key
 * @throws if the URI is not a post of this account
 */
function ownPost(did: string, uri: string): string {
  const post = parseRecordUri(uri)
  if (post?.did === did && post.collection === POST) return post.rkey
  throw forbidden('Only the author of a post sees its figures.', 'NotAuthor')
}
