// app.bsky.graph.searchStarterPacksV2: starter packs by name, with their content.

import { starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { searchPacks } from '../../../search-packs.ts'

export function searchStarterPacksV2(serving: AppContext): Method {
  const nsid = 'app.bsky.graph.searchStarterPacksV2'
  return searchPacks(serving, { nsid, content: true, view: starterPackView })
}
