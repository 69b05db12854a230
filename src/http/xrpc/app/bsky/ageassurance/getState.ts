// app.bsky.ageassurance.getState: we know nothing of anybody's age, only when they joined the network,
// as far as their profile says.

import { datetime } from '../../../../../answers/views/fields.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

export function getState({ actors, hydrator }: AppContext): Method {
  return {
    nsid: 'app.bsky.ageassurance.getState',
    kind: 'query',
    auth: 'required',
    partly: 'always `unknown`: there is no provider of age assurance here',
    handler: ({ viewer: did }) => {
      const viewer = viewerOf(actors, did!)
      const state = hydrator.profiles(viewer.uid === 0 ? [] : [viewer.uid], viewer)
      const createdAt = state.actors.get(viewer.uid)?.profile?.createdAt
      const accountCreatedAt = createdAt === undefined ? undefined : datetime(createdAt)
      return {
        body: { state: { status: 'unknown', access: 'unknown' }, metadata: { accountCreatedAt } },
      }
    },
  }
}
