// app.bsky.graph.getFollows: accounts that an account follows, newest first. `sort` is ignored, as in the
// reference's own data plane.

import { isStoredAccount } from '../../../../fallback/holdings.ts'
import { connected } from '../../../connected.ts'
import { visibleActor } from '../../../named-actor.ts'
import { pagedMethod } from '../../../paged-method.ts'

export const getFollows = pagedMethod(
  'app.bsky.graph.getFollows',
  { auth: 'optional' },
  {
    about: visibleActor,
    skeleton: ({ lists }, { about, place }) => lists.follows({ actor: about.uid, ...place }),
    present: connected,
    isUnknown: (app, { uid }) => !isStoredAccount(app, uid),
    body: (follows, { about, cursor }) => ({ subject: about.view, follows, cursor }),
  },
)
