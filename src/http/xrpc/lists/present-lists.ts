import { listView } from '../../../answers/views/list-view.ts'
import { hydrated } from '../paging/present.ts'

export const lists = hydrated({
  hydrate: ({ hydrator }, ids: readonly number[], reader) => hydrator.lists(ids, reader),
  view: listView,
})
