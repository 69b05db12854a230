// app.bsky.graph.searchStarterPacksV2: starter packs by name, with their content.

import { starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import { creatorNotBlocked, records } from '../../../paging/present.ts'
import { PACKS_AT_ONCE, someAtOnce } from '../../../paging/some-at-once.ts'
import { packsByName, SEARCHED_PACKS } from '../../../search/search-packs.ts'
import { searchedMethod } from '../../../search/searched-method.ts'

export const searchStarterPacksV2 = searchedMethod(
  'app.bsky.graph.searchStarterPacksV2',
  { auth: 'optional', partly: SEARCHED_PACKS },
  {
    skeleton: someAtOnce(PACKS_AT_ONCE, packsByName),
    present: records({ content: true, filter: creatorNotBlocked, view: starterPackView }),
    body: 'starterPacks',
  },
)
