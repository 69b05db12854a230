// app.bsky.graph.getSuggestedFollowsByActor: accounts that an account's followers also follow.

import { andThen } from '../../../../../base/util/turn.ts'
import { suggestedViews } from '../../../accounts/suggested-accounts.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { namedActor } from '../../../naming/named-actor.ts'

const PRESENTED = 10
const theActor = namedActor('Actor not found')

export const getSuggestedFollowsByActor = query(
  'app.bsky.graph.getSuggestedFollowsByActor',
  { auth: 'optional', mayBeEmpty: true },
  (app, call: Call<{ actor: string }>) =>
    andThen(theActor(app, call), ({ uid }) => {
      const { reader, viewer } = call
      const uids = uid === 0 ? [] : app.suggestions.relativeTo(uid, viewer?.uid ?? 0)
      const views = suggestedViews(app, uids.slice(0, PRESENTED * 2), {
        reader,
        withFollowers: true,
      })
      return { body: { suggestions: views.slice(0, PRESENTED) } }
    }),
)
