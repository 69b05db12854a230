import { pagedMethod } from '../../../paged-method.ts'
import { lists } from '../../../present-lists.ts'

export const getListBlocks = pagedMethod(
  'app.bsky.graph.getListBlocks',
  { auth: 'required' },
  {
    skeleton: ({ listPages }, { call, place }) =>
      listPages.blockedBy({ actor: call.viewer.uid, ...place }),
    present: lists,
    body: 'lists',
  },
)
