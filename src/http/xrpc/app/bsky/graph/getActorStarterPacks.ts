// app.bsky.graph.getActorStarterPacks: the starter packs that an account made, newest first.

import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { ownRecords } from '../../../own-records.ts'

type Params = { actor: string; limit: number; cursor?: string }

export function getActorStarterPacks(serving: AppContext): Method<Params> {
  return ownRecords(serving, {
    nsid: 'app.bsky.graph.getActorStarterPacks',
    collection: 'app.bsky.graph.starterpack',
    view: starterPackViewBasic,
    body: (starterPacks, cursor) => ({ starterPacks, cursor }),
  })
}
