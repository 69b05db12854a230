// app.bsky.ageassurance.getState: we know no account's age, only when it joined the network according to its
// profile.

import { datetime } from '../../../../../answers/views/fields.ts'
import { query } from '../../../define.ts'

export const getState = query(
  'app.bsky.ageassurance.getState',
  {
    auth: 'required',
    partly: 'always `unknown`: there is no provider of age assurance here',
    showsLabels: false,
  },
  ({ hydrator }, { reader, viewer: { uid } }) => {
    const state = hydrator.profiles(uid === 0 ? [] : [uid], reader)
    const createdAt = state.actors.get(uid)?.profile?.createdAt
    const accountCreatedAt = createdAt === undefined ? undefined : datetime(createdAt)
    return {
      body: { state: { status: 'unknown', access: 'unknown' }, metadata: { accountCreatedAt } },
    }
  },
)
