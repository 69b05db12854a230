// app.bsky.graph.getFollows: accounts that an account follows, newest first. `sort` is ignored, as in the
// reference's own data plane. A stranger's are listed by their PDS, in its order.

import { isValidDid } from '@atproto/syntax'
import type { ReadyJson } from '../../../../../answers/views/json/ready-json.ts'
import { andThen, inTurn, type MaybeLater } from '../../../../../base/util/turn.ts'
import type { MethodResult } from '../../../../server/method.ts'
import { connected } from '../../../accounts/connected.ts'
import type { AppContext } from '../../../app-context.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { visibleActor } from '../../../naming/named-actor.ts'
import { pagedMethod } from '../../../paging/paged-method.ts'
import { isStoredAccount } from '../../../strangers/holdings.ts'
import { isListedOutside, listOutside } from '../../../strangers/strangers-listing.ts'

type FollowsCall = Call<{ actor: string; limit: number; cursor?: string }>
type Subject = { uid: number; view: ReadyJson }

const FOLLOW = 'app.bsky.graph.follow'

const stored = pagedMethod(
  'app.bsky.graph.getFollows',
  { auth: 'optional' },
  {
    about: visibleActor,
    skeleton: ({ lists }, { about, range }) => lists.follows({ actor: about.uid, ...range }),
    present: connected,
    isUnknown: (app, { uid }) => !isStoredAccount(app, uid),
    body: (follows, { about, cursor }) => ({ subject: about.view, follows, cursor }),
  },
)

export const getFollows = query(
  'app.bsky.graph.getFollows',
  { auth: 'optional' },
  (app, call: FollowsCall): MaybeLater<MethodResult> =>
    andThen(app.names.find(call.params.actor, call), (found) =>
      isListedOutside(app, found?.uid ?? 0, call)
        ? andThen(visibleActor(app, call), (about) => strangersFollows(app, call, about))
        : stored.handler(app, call as Call),
    ),
)

async function strangersFollows(
  app: AppContext,
  call: FollowsCall,
  about: Subject,
): Promise<MethodResult> {
  const repo = { uid: about.uid, did: app.actors.didOf(about.uid) }
  const page = await listOutside(app, FOLLOW, { repo, call })
  if (!page) return inTurn(call, () => stored.handler(app, call as Call))
  const { records, cursor } = page
  return inTurn(call, () => {
    const subjects = records.map(({ value }) => String(value['subject'])).filter(isValidDid)
    const followed = [...new Set(subjects)].map((did) => ({ did, uid: app.actors.uidOf(did) }))
    const unknown = followed.filter(({ uid }) => uid === 0)
    call.reader.missing.add({ dids: unknown.map(({ did }) => did) })
    const uids = followed.map(({ uid }) => uid).filter((uid) => uid !== 0)
    const follows = connected(app, uids, { about, call }).filter((view) => view !== undefined)
    return { body: { subject: about.view, follows, cursor } }
  })
}
