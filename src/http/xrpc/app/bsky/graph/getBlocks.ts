// app.bsky.graph.getBlocks: accounts that the viewer blocks, latest first. Includes all that can be shown.

import { pagedMethod } from '../../../paging/paged-method.ts'
import { profiles } from '../../../paging/present.ts'

export const getBlocks = pagedMethod(
  'app.bsky.graph.getBlocks',
  { auth: 'required' },
  {
    skeleton: ({ lists }, { call, range }) => lists.blocks({ actor: call.viewer.uid, ...range }),
    present: profiles(),
    body: 'blocks',
  },
)
