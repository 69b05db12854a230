import { listItemView, starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import type { SignedInCall } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { namedActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { PACKS_AT_ONCE, someAtOnce } from '../../../paging/some-at-once.ts'

export const getStarterPacksWithMembership = pagedMethod(
  'app.bsky.graph.getStarterPacksWithMembership',
  { auth: 'required', mayBeEmpty: true },
  {
    about: namedActor('Profile not found'),
    skeleton: someAtOnce(PACKS_AT_ONCE, ({ ownRecords }, { call, range }) =>
      ownRecords({ uid: call.viewer.uid, collection: 'app.bsky.graph.starterpack', ...range }),
    ),
    present,
    body: 'starterPacksWithMembership',
  },
)

function present(
  { hydrator }: Needs<'hydrator'>,
  uris: readonly string[],
  { about, call }: { about: NamedActor; call: SignedInCall<never> },
) {
  const subject = about.uid
  const state = hydrator.records(uris, call.reader, { content: true, alsoProfile: subject })
  const memberships = hydrator.memberships(state, subject)
  return uris.map((uri) => {
    const starterPack = starterPackView(state, uri)
    const item = memberships.get(uri)
    const listItem = item === undefined ? undefined : listItemView(state, { uri: item, subject })
    return starterPack && { starterPack, listItem }
  })
}
