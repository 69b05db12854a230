// app.bsky.draft.getDrafts: the viewer's drafts, most recently changed first. The last page has an empty
// cursor, as in the reference.

import { datetime } from '../../../../../answers/views/fields.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'

export const getDrafts = pagedMethod(
  'app.bsky.draft.getDrafts',
  { auth: 'required', showsLabels: false },
  {
    skeleton: ({ drafts }, { call, range }) => drafts.page({ viewer: call.viewer.uid, ...range }),
    present: (_app, drafts) =>
      drafts.map(({ id, draft, createdAt, updatedAt }) => ({
        id,
        draft: JSON.parse(draft),
        createdAt: datetime(createdAt),
        updatedAt: datetime(updatedAt),
      })),
    body: (drafts, { cursor = '' }) => ({ drafts, cursor }),
  },
)
