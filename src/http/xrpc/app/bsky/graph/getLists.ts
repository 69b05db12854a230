import { listView } from '../../../../../answers/views/list-view.ts'
import { isStoredAccount } from '../../../../fallback/holdings.ts'
import { hasPurpose } from '../../../list-purposes.ts'
import { namedActor } from '../../../named-actor.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { hydrated } from '../../../present.ts'

export const getLists = pagedMethod(
  'app.bsky.graph.getLists',
  { auth: 'optional' },
  {
    about: namedActor('Profile not found'),
    skeleton: ({ listPages }, { about, place }) =>
      listPages.ofCreator({ actor: about.uid, ...place }),
    present: hydrated({
      hydrate: ({ hydrator }, ids: readonly number[], reader) => hydrator.lists(ids, reader),
      keep: hasPurpose,
      view: listView,
    }),
    isUnknown: (app, { uid }) => uid !== 0 && !isStoredAccount(app, uid),
    body: 'lists',
  },
)
