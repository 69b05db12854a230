// app.bsky.graph.getMutes: accounts that the viewer mutes, latest first. Includes all that can be shown.

import { pagedMethod } from '../../../paging/paged-method.ts'
import { profiles } from '../../../paging/present.ts'

export const getMutes = pagedMethod(
  'app.bsky.graph.getMutes',
  { auth: 'required' },
  {
    skeleton: ({ lists }, { call, place }) => lists.mutes({ actor: call.viewer.uid, ...place }),
    present: profiles(),
    body: 'mutes',
  },
)
