// app.bsky.graph.getList: a list and its members, most recently added first. As in the reference, members in
// a block with the list's creator are shown only to the creator, unless it is a moderation list; the same
// holds for members that opted out of a reference list.

import type { ListMember } from '../../../../../answers/skeleton/list-pages.ts'
import { listView } from '../../../../../answers/views/list-view.ts'
import { parseRecordUri, recordUri } from '../../../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../../../base/atproto/keys.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { listByUri } from '../../../lists/list-by-uri.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { MEMBERS_AT_ONCE, someAtOnce } from '../../../paging/some-at-once.ts'
import { strangersList } from '../../../strangers/strangers-list.ts'

const MODLIST = 'app.bsky.graph.defs#modlist'

export const getList = pagedMethod(
  'app.bsky.graph.getList',
  { auth: 'optional', ready: strangersList },
  {
    about: namedList,
    skeleton: someAtOnce(MEMBERS_AT_ONCE, ({ listPages }, { about, call, range }) =>
      listPages.members({ list: about.id, viewer: call.viewer?.uid ?? 0, ...range }),
    ),
    present,
    isUnknown: (app, { uri }) => app.underWay.areUnfetched([parseRecordUri(uri)!]),
    body: (items, { about, cursor }) => ({ list: about.view, items, cursor }),
  },
)

function namedList(
  { actors, hydrator, listPages }: Needs<'actors' | 'hydrator' | 'listPages'>,
  { params, reader, viewer }: Call<{ list: string }>,
) {
  const named = listByUri({ listPages }, params.list)
  const state = hydrator.lists(named?.id ? [named.id] : [], reader)
  reader.missing.addProfiles(state)
  const view = named && listView(state, named.id)
  if (named && !state.lists.has(named.id)) reader.missing.add({ uris: [params.list] })
  if (!named || !view) throw invalidRequest('List not found')
  const isOpen = viewer?.did === named.did || view.purpose === MODLIST
  return { ...named, view, creator: actors.uidOf(named.did), isOpen }
}

type About = ReturnType<typeof namedList>

function present(
  { viewCache }: Needs<'viewCache'>,
  members: readonly ListMember[],
  { about: { creator, did, isOpen }, call: { reader } }: { about: About; call: Call<never> },
) {
  const pairs = isOpen ? [] : members.map(({ subject }) => [creator, subject] as const)
  const blocks = viewCache.blocksAmong(pairs, reader)
  const visible = members.filter(({ subject }) => isOpen || !blocks.has(creator, subject))
  const profiles = viewCache.profiles(
    visible.map(({ subject }) => subject),
    reader,
  )
  return visible.map(({ rkey, isOptedOut }, i) => {
    const subject = profiles[i]
    const uri = recordUri(did, 'app.bsky.graph.listitem', packRkey(rkey))
    if (!subject) return undefined
    return isOptedOut ? { uri, subject, subjectOptedOut: true } : { uri, subject }
  })
}
