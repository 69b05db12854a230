// app.bsky.graph.getBlocks: whom the viewer blocks, latest first. Nobody is left out who can be shown.

import { pagedMethod } from '../../../paged-method.ts'
import { profiles } from '../../../present.ts'

export const getBlocks = pagedMethod(
  'app.bsky.graph.getBlocks',
  { auth: 'required' },
  {
    skeleton: ({ lists }, { call, place }) => lists.blocks({ actor: call.viewer.uid, ...place }),
    present: profiles(),
    body: 'blocks',
  },
)
