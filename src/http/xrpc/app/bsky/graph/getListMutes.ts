import { pagedMethod } from '../../../paged-method.ts'
import { lists } from '../../../present-lists.ts'

export const getListMutes = pagedMethod(
  'app.bsky.graph.getListMutes',
  { auth: 'required' },
  {
    skeleton: ({ listPages }, { call, place }) =>
      listPages.mutedBy({ actor: call.viewer.uid, ...place }),
    present: lists,
    body: 'lists',
  },
)
