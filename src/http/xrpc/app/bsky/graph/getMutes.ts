// app.bsky.graph.getMutes: accounts that the viewer mutes, latest first. Includes all that can be shown.

import { pagedMethod } from '../../../paging/paged-method.ts'
import { profiles } from '../../../paging/present.ts'

export const getMutes = pagedMethod(
  'app.bsky.graph.getMutes',
  { auth: 'required' },
  {
    skeleton: ({ lists }, { call, range }) => lists.mutes({ actor: call.viewer.uid, ...range }),
    present: profiles(),
    body: 'mutes',
  },
)
