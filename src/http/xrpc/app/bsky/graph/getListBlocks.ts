import { lists } from '../../../lists/present-lists.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'

export const getListBlocks = pagedMethod(
  'app.bsky.graph.getListBlocks',
  { auth: 'required' },
  {
    skeleton: ({ listPages }, { call, range }) =>
      listPages.blockedBy({ actor: call.viewer.uid, ...range }),
    present: lists,
    body: 'lists',
  },
)
