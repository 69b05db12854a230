// app.bsky.feed.getActorFeeds: the feed generators that an account made, newest first.

import { generatorView } from '../../../../../answers/views/generator-view.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { ownRecords } from '../../../own-records.ts'

type Params = { actor: string; limit: number; cursor?: string }

export function getActorFeeds(serving: AppContext): Method<Params> {
  return ownRecords(serving, {
    nsid: 'app.bsky.feed.getActorFeeds',
    collection: 'app.bsky.feed.generator',
    view: generatorView,
    body: (feeds, cursor) => ({ feeds, cursor }),
  })
}
