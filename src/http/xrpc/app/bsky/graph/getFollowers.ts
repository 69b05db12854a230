// app.bsky.graph.getFollowers: accounts that follow an account, newest first. `sort` is ignored, as in the
// reference's own data plane.

import { connected } from '../../../accounts/connected.ts'
import { visibleActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { isStoredAccount } from '../../../strangers/holdings.ts'

export const getFollowers = pagedMethod(
  'app.bsky.graph.getFollowers',
  { auth: 'optional' },
  {
    about: visibleActor,
    skeleton: ({ lists }, { about, range }) => lists.followers({ actor: about.uid, ...range }),
    present: connected,
    isUnknown: (app, { uid }) => !isStoredAccount(app, uid),
    body: (followers, { about, cursor }) => ({ subject: about.view, followers, cursor }),
  },
)
