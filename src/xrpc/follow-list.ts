// getFollows and getFollowers are one method seen from two sides: an account, and a list of those it
// is connected with. Left out are inactive accounts, those in a block with the viewer, and those who
// follow or are followed in spite of a block between the two.

import type { AppBskyActorDefs } from '@atproto/api'
import type { AccountListRequest, AccountListSkeleton } from '../skeleton/follow-lists.ts'
import { isRetiredCursor } from '../skeleton/page-cursor.ts'
import { profileView } from '../views/profile-views.ts'
import { viewerBlocks } from '../views/rules.ts'
import { labelerHeaders } from './answer-headers.ts'
import { fillPage } from './fill-page.ts'
import type { Method } from './method.ts'
import { type Serving, viewerOf } from './serving.ts'
import { visibleSubject } from './visible-subject.ts'

type ProfileView = AppBskyActorDefs.ProfileView
type Params = { actor: string; limit: number; cursor?: string }

export function followList(
  serving: Serving,
  options: {
    nsid: string
    read: (request: AccountListRequest) => AccountListSkeleton
    body: (page: { subject: ProfileView; views: ProfileView[]; cursor?: string }) => unknown
  },
): Method<Params> {
  const { nsid, read, body } = options
  return {
    nsid,
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const { actor, limit, cursor } = context.params
      const viewer = viewerOf(serving.actors, context.viewer)
      const { uid, view: subject } = await visibleSubject(serving, actor, viewer)
      if (isRetiredCursor(cursor)) return { body: body({ subject, views: [] }) }
      const page = fillPage({ limit, cursor }, (from, count) => {
        const { uids, cursor: next } = read({ actor: uid, limit: count, cursor: from })
        const blockPairs = uids.map((other) => [uid, other] as const)
        const state = serving.hydrator.profiles(uids, viewer, { blockPairs })
        serving.wanted.afterProfiles(state)
        const views = uids
          .filter((other) => !state.blocks.has(uid, other) && !viewerBlocks(state, other))
          .map((other) => profileView(state, other))
        return { items: views.filter((view) => view !== undefined), cursor: next }
      })
      return {
        body: body({ subject, views: page.items, cursor: page.cursor }),
        headers: labelerHeaders(context),
      }
    },
  }
}
