import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import { namedActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { records } from '../../../paging/present.ts'
import { areRecordsUnread, strangersRecords } from '../../../strangers/strangers-records.ts'

export const getActorStarterPacks = pagedMethod(
  'app.bsky.graph.getActorStarterPacks',
  { auth: 'optional', ready: strangersRecords },
  {
    about: namedActor('Profile not found'),
    skeleton: ({ ownRecords }, { about, range }) =>
      ownRecords({ uid: about.uid, collection: 'app.bsky.graph.starterpack', ...range }),
    present: records({ view: starterPackViewBasic }),
    isUnknown: (app, { uid }) => areRecordsUnread(app, uid),
    body: 'starterPacks',
  },
)
