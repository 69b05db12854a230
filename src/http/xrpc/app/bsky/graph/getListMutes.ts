import { lists } from '../../../lists/present-lists.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'

export const getListMutes = pagedMethod(
  'app.bsky.graph.getListMutes',
  { auth: 'required' },
  {
    skeleton: ({ listPages }, { call, range }) =>
      listPages.mutedBy({ actor: call.viewer.uid, ...range }),
    present: lists,
    body: 'lists',
  },
)
