// app.bsky.feed.getTimeline: the home timeline, newest first.
//
// As in the reference, what the viewer blocks or mutes is left out here, also by the authors above a
// reply; reply rules, thread deduplication and muted words are left to the client. `algorithm` is
// ignored. `since` and `startCursor`: see skeleton/timeline.ts.

import type { AppBskyFeedGetTimeline } from '@atproto/api'
import { isRetiredCursor } from '../../../../skeleton/page-cursor.ts'
import { readyArray } from '../../../../views/ready-json.ts'
import { type FeedItemRules, isBlockedOrMuted } from '../../../../views/rules.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import { type FilledPage, fillPage } from '../../../fill-page.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'

type Params = AppBskyFeedGetTimeline.QueryParams & { limit: number; since?: string }
type Page = FilledPage<string> & { startCursor?: string }

export function getTimeline(serving: Serving): Method<Params> {
  return {
    nsid: 'app.bsky.feed.getTimeline',
    kind: 'query',
    auth: 'required',
    readAfterWrite: true,
    handler: (context) => {
      const read = () => {
        const viewer = viewerOf(serving.actors, context.viewer!)
        return readTimeline(serving, viewer, context.params)
      }
      const answer = ({ items, cursor, startCursor }: Page) => ({
        body: { feed: readyArray(items), cursor, startCursor },
        headers: labelerHeaders(context),
      })
      const page = read()
      if (page.items.length > 0 || context.params.cursor !== undefined) return answer(page)
      const did = context.viewer!
      const uid = () => serving.actors.uidOf(did)
      return serving.firstPage.awaited(read, { did, uid, signal: context.signal }).then(answer)
    },
  }
}

function readTimeline(
  serving: Serving,
  viewer: { uid: number; did: string },
  { limit, cursor, since }: Params,
): Page {
  if (isRetiredCursor(cursor)) return { items: [], cursor: undefined }
  let startCursor: string | undefined
  const page = fillPage({ limit, cursor, end: since }, (from, count) => {
    const skeleton = serving.timeline({ viewer: viewer.uid, limit: count, cursor: from, since })
    startCursor ??= skeleton.startCursor
    const texts = serving.fragments.items(skeleton.items, viewer, { isShown })
    return { ...skeleton, items: texts.filter((text) => text !== undefined) }
  })
  return { ...page, startCursor }
}

function isShown(rules: FeedItemRules): boolean {
  return !isBlockedOrMuted(rules)
}
