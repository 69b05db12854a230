// com.atproto.admin.getAccountInfos. Ozone asks it of the AppView about the accounts of its queue: their handles and
// profile records are what moderators see beside a report.

import type { ComAtprotoAdminGetAccountInfos } from '@atproto/api'
import { profileView } from '../../../../../answers/views/profiles/profile-views.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

type Params = ComAtprotoAdminGetAccountInfos.QueryParams

const PROFILE = { collection: 'app.bsky.actor.profile', rkey: 'self' } as const

export const getAccountInfos = query(
  'com.atproto.admin.getAccountInfos',
  { auth: 'moderator', showsLabels: false },
  ({ actors, hydrator, records }, { params: { dids }, reader }: Call<Params>) => {
    const uids = [...new Set(dids)].map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
    const state = hydrator.profiles(uids, { ...reader, seesTakenDown: true })
    const infos = uids.flatMap((uid) => {
      const view = profileView(state, uid)
      if (!view) return []
      const { did, handle, indexedAt = new Date(0).toISOString() } = view
      const profile = records.find({ uid, ...PROFILE })
      const relatedRecords = typeof profile === 'object' ? [profile.value] : undefined
      return [{ did, handle, indexedAt, ...(relatedRecords && { relatedRecords }) }]
    })
    return { body: { infos } }
  },
)
