// app.bsky.graph.searchStarterPacks: starter packs by name, without their content.

import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import { creatorNotBlocked, records } from '../../../paging/present.ts'
import { packsByName, SEARCHED_PACKS } from '../../../search/search-packs.ts'
import { searchedMethod } from '../../../search/searched-method.ts'

export const searchStarterPacks = searchedMethod(
  'app.bsky.graph.searchStarterPacks',
  { auth: 'optional', partly: SEARCHED_PACKS },
  {
    skeleton: packsByName,
    present: records({ filter: creatorNotBlocked, view: starterPackViewBasic }),
    body: 'starterPacks',
  },
)
