// app.bsky.graph.getStarterPack: one starter pack with its feeds and some of its members. A missing one is
// fetched while the client waits, briefly.

import type { AppBskyGraphGetStarterPack } from '@atproto/api'
import type { ProfileState } from '../../../../../answers/hydrate/types.ts'
import { starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { whenAsked } from '../../../when-asked.ts'

export const getStarterPack = query(
  'app.bsky.graph.getStarterPack',
  { auth: 'optional' },
  async (app, call: Call<AppBskyGraphGetStarterPack.QueryParams>) => {
    const uri = call.params.starterPack
    const state = await load(app, uri, call)
    call.reader.missing.addProfiles(state)
    const starterPack = starterPackView(state, uri)
    if (!starterPack) throw invalidRequest('Starter pack not found')
    return { body: { starterPack } }
  },
)

type Parts = Needs<'hydrator' | 'fetchRequests' | 'waits' | 'underWay'>

async function load(
  { hydrator, fetchRequests, waits, underWay }: Parts,
  uri: string,
  { reader, signal }: Pick<Call, 'reader' | 'signal'>,
): Promise<ProfileState> {
  const read = () => hydrator.records([uri], reader, { content: true })
  const lackOf = (state: ProfileState) => {
    const held = state.records.get(uri)
    if (held?.collection !== 'app.bsky.graph.starterpack') return [uri]
    const feeds = (held.record.feeds ?? []).map((feed) => feed.uri)
    const lacking = feeds.filter((feed) => !state.records.has(feed))
    return state.packs.get(uri)?.list ? lacking : [held.record.list, ...lacking]
  }
  const state = read()
  const lacking = lackOf(state)
  if (lacking.length === 0 || !reader.viewer) return state
  const ask = (uris: string[]) => {
    const asked = fetchRequests.ask(reader.viewer, { uris })
    const keys = uris.map(parseRecordUri).filter((key) => key !== undefined)
    return { uris, isOver: whenAsked(asked, () => underWay.records(keys)) }
  }
  let latest = ask(lacking)
  await waits.awaited(lacking, {
    isThere: () => {
      const still = lackOf(read())
      // The records that a pack refers to are known only once the pack itself has arrived.
      if (still.some((one) => !latest.uris.includes(one))) latest = ask(still)
      return still.length === 0
    },
    isOver: () => latest.isOver(),
    signal,
  })
  return read()
}
