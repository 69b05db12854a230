import type { ReadyJson } from '../../../../../answers/views/json/ready-json.ts'
import { listView } from '../../../../../answers/views/list-view.ts'
import { recordUri } from '../../../../../base/atproto/at-uri.ts'
import { packRkey } from '../../../../../base/atproto/keys.ts'
import type { SignedInCall } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { purposesOf } from '../../../lists/list-purposes.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { namedActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'

export const getListsWithMembership = pagedMethod(
  'app.bsky.graph.getListsWithMembership',
  { auth: 'required', mayBeEmpty: true },
  {
    about: namedActor('Profile not found'),
    skeleton: ({ listPages }, { call, range }) =>
      listPages.ofCreator({ actor: call.viewer.uid, purposes: purposesOf(call), ...range }),
    present,
    body: 'listsWithMembership',
  },
)

function present(
  { hydrator, listPages, viewCache }: Needs<'hydrator' | 'listPages' | 'viewCache'>,
  ids: readonly number[],
  { about: actor, call }: { about: NamedActor; call: SignedInCall<never> },
) {
  const state = hydrator.lists(ids, call.reader)
  const [subject] = actor.uid === 0 ? [] : viewCache.profiles([actor.uid], call.reader)
  const keys = listPages.memberships(subject === undefined ? [] : ids, actor.uid)
  return ids.map((id) => {
    const list = listView(state, id)
    const rkey = keys.get(id)
    return list && { list, listItem: rkey && itemOf(call.viewer.did, rkey, subject!) }
  })
}

function itemOf(did: string, rkey: string, subject: ReadyJson) {
  const uri = recordUri(did, 'app.bsky.graph.listitem', packRkey(rkey))
  return { uri, subject }
}
