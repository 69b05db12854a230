// app.bsky.graph.searchStarterPacks: starter packs by name, without their content.

import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import { searchPacks } from '../../../search-packs.ts'

export function searchStarterPacks(serving: AppContext): Method {
  const nsid = 'app.bsky.graph.searchStarterPacks'
  return searchPacks(serving, { nsid, content: false, view: starterPackViewBasic })
}
