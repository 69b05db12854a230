// app.bsky.graph.getLists: the lists that an account created, latest first. A stranger's are listed by their PDS,
// in its order.

import { listView } from '../../../../../answers/views/list-view.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { andThen, inTurn, type MaybeLater } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { hasPurpose, purposesOf } from '../../../lists/list-purposes.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { namedActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { hydrated } from '../../../paging/present.ts'
import { isStoredAccount } from '../../../strangers/holdings.ts'
import { isListedOutside, listOutside } from '../../../strangers/strangers-listing.ts'

type ListsCall = Call<{ actor: string; limit: number; cursor?: string; purposes?: string[] }>

const LIST = 'app.bsky.graph.list'
const creator = namedActor('Profile not found')

const present = hydrated({
  hydrate: ({ hydrator }, ids: readonly number[], reader) => hydrator.lists(ids, reader),
  filter: hasPurpose,
  view: listView,
})

const stored = pagedMethod(
  'app.bsky.graph.getLists',
  { auth: 'optional' },
  {
    about: creator,
    skeleton: ({ listPages }, { call, about, range }) =>
      listPages.ofCreator({ actor: about.uid, purposes: purposesOf(call), ...range }),
    present,
    isUnknown: (app, { uid }) => uid !== 0 && !isStoredAccount(app, uid),
    body: 'lists',
  },
)

export const getLists = query(
  'app.bsky.graph.getLists',
  { auth: 'optional' },
  (app, call: ListsCall): MaybeLater<MethodResult> =>
    andThen(app.names.find(call.params.actor, call), (found) =>
      found && isListedOutside(app, found.uid, call)
        ? strangersLists(app, call, found)
        : stored.handler(app, call as Call),
    ),
)

async function strangersLists(
  app: AppContext,
  call: ListsCall,
  repo: NamedActor,
): Promise<MethodResult> {
  const page = await listOutside(app, LIST, { repo, call })
  if (!page) return inTurn(call, () => stored.handler(app, call as Call))
  const { records, cursor } = page
  return inTurn(call, () => {
    const uris = records.map(({ uri }) => uri).filter((uri) => parseRecordUri(uri))
    const ids = uris.map((uri) => app.listPages.idOf(repo.did, uri.split('/').at(-1)!))
    const known = app.hydrator.lists(
      ids.filter((id) => id !== 0),
      call.reader,
    ).lists
    const missing = uris.filter((_, i) => !known.has(ids[i]!))
    call.reader.missing.add({ uris: missing })
    const visible = present(
      app,
      ids.filter((id) => known.has(id)),
      { call },
    )
    return { body: { lists: visible.filter((view) => view !== undefined), cursor } }
  })
}
