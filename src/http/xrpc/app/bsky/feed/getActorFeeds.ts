import { generatorView } from '../../../../../answers/views/generator-view.ts'
import { namedActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { records } from '../../../paging/present.ts'
import { areRecordsUnread, strangersRecords } from '../../../strangers/strangers-records.ts'

export const getActorFeeds = pagedMethod(
  'app.bsky.feed.getActorFeeds',
  { auth: 'optional', ready: strangersRecords },
  {
    about: namedActor('Profile not found'),
    skeleton: ({ ownRecords }, { about, range }) =>
      ownRecords({ uid: about.uid, collection: 'app.bsky.feed.generator', ...range }),
    present: records({ view: generatorView }),
    isUnknown: (app, { uid }) => areRecordsUnread(app, uid),
    body: 'feeds',
  },
)
