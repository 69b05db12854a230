// app.bsky.graph.getKnownFollowers: accounts that the viewer follows and that follow the actor. Has a stable
// order and real pages; see answers/skeleton/known-followers.ts.

import { visibleActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { notBlocked, profiles } from '../../../paging/present.ts'

export const getKnownFollowers = pagedMethod(
  'app.bsky.graph.getKnownFollowers',
  { auth: 'required' },
  {
    about: visibleActor,
    skeleton: ({ knownFollowers }, { call, about, range }) =>
      knownFollowers.page({ viewer: call.viewer.uid, subject: about.uid, ...range }),
    present: profiles({ filter: notBlocked }),
    body: (followers, { about, cursor }) => ({ subject: about.view, followers, cursor }),
  },
)
