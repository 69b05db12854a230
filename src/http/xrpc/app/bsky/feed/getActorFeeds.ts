// app.bsky.feed.getActorFeeds: the feed generators that an account created, newest first.

import { generatorView } from '../../../../../answers/views/generator-view.ts'
import { namedActor } from '../../../named-actor.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { records } from '../../../present.ts'

export const getActorFeeds = pagedMethod(
  'app.bsky.feed.getActorFeeds',
  { auth: 'optional' },
  {
    about: namedActor('Profile not found'),
    skeleton: ({ ownRecords }, { about, place }) =>
      ownRecords({ uid: about.uid, collection: 'app.bsky.feed.generator', ...place }),
    present: records({ view: generatorView }),
    body: 'feeds',
  },
)
