// app.bsky.graph.getStarterPack: one starter pack with its feeds and some of its members. A missing one is
// fetched while the client waits, briefly, and so are its list and feeds.

import type { AppBskyGraphGetStarterPack } from '@atproto/api'
import type { ProfileState } from '../../../../../answers/hydrate/types.ts'
import { starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getStarterPack = query(
  'app.bsky.graph.getStarterPack',
  { auth: 'optional', isByKeys: true },
  ({ hydrator, underWay }, { params, reader }: Call<AppBskyGraphGetStarterPack.QueryParams>) => {
    const uri = params.starterPack
    const state = hydrator.records([uri], reader, { content: true })
    reader.missing.addProfiles(state)
    reader.missing.add({ uris: missingOf(state, uri) })
    const starterPack = starterPackView(state, uri)
    const listUri = packOf(state, uri)?.record.list
    const list = parseRecordUri(listUri)
    // Without its list, or before its people are read, the pack would look empty.
    const isEmpty = !starterPack?.list || !starterPack.listItemsSample?.length
    const isOnItsWay = list && isEmpty && reader.viewer && underWay.areUnfetched([list])
    if (isOnItsWay) reader.missing.add({ uris: [listUri!] })
    if (!starterPack || isOnItsWay) throw invalidRequest('Starter pack not found')
    return { body: { starterPack } }
  },
)

/** The pack itself, or its list and feeds. */
function missingOf(state: ProfileState, uri: string): string[] {
  const held = packOf(state, uri)
  if (!held) return [uri]
  const feeds = (held.record.feeds ?? []).map((feed) => feed.uri)
  const list = missingList(state, uri)
  return [...(list ? [list] : []), ...feeds.filter((feed) => !state.records.has(feed))]
}

function missingList(state: ProfileState, uri: string): string | undefined {
  return state.packs.get(uri)?.list ? undefined : packOf(state, uri)?.record.list
}

function packOf(state: ProfileState, uri: string) {
  const held = state.records.get(uri)
  return held?.collection === 'app.bsky.graph.starterpack' ? held : undefined
}
