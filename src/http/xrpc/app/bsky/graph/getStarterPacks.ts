// app.bsky.graph.getStarterPacks: starter packs by at-URI, without their content.

import type { AppBskyGraphGetStarterPacks } from '@atproto/api'
import { starterPackViewBasic } from '../../../../../answers/views/starter-pack-view.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getStarterPacks = query(
  'app.bsky.graph.getStarterPacks',
  { auth: 'optional', isByKeys: true },
  ({ hydrator }, { params, reader }: Call<AppBskyGraphGetStarterPacks.QueryParams>) => {
    const { uris } = params
    const state = hydrator.records(uris, reader)
    reader.missing.addProfiles(state)
    reader.missing.add({ uris: uris.filter((uri) => !state.records.has(uri)) })
    const views = uris.map((uri) => starterPackViewBasic(state, uri))
    return { body: { starterPacks: views.filter((view) => view !== undefined) } }
  },
)
