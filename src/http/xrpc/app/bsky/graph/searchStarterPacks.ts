// app.bsky.graph.searchStarterPacks: starter packs by name, without their content.

import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { creatorNotBlocked, records } from '../../../present.ts'
import { packsByName, SEARCHED_PACKS } from '../../../search-packs.ts'

export const searchStarterPacks = pagedMethod(
  'app.bsky.graph.searchStarterPacks',
  { auth: 'optional', partly: SEARCHED_PACKS },
  {
    skeleton: packsByName,
    present: records({ keep: creatorNotBlocked, view: starterPackViewBasic }),
    body: 'starterPacks',
  },
)
