// app.bsky.graph.getStarterPack: one starter pack with its feeds and some of its people. One that we
// lack is fetched while the client waits, a moment at most.

import type { AppBskyGraphGetStarterPack } from '@atproto/api'
import type { ProfileState, Viewer } from '../../../../../answers/hydrate/types.ts'
import { starterPackView } from '../../../../../answers/views/starter-pack-view.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { whenAsked } from '../../../when-asked.ts'

export function getStarterPack(
  serving: AppContext,
): Method<AppBskyGraphGetStarterPack.QueryParams> {
  return {
    nsid: 'app.bsky.graph.getStarterPack',
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const viewer = viewerOf(serving.actors, context.viewer)
      const uri = await byDid(serving, context.params.starterPack)
      const state = await load(serving, uri, { viewer, signal: context.signal })
      serving.fetchRequests.afterProfiles(state)
      const starterPack = starterPackView(state, uri)
      if (!starterPack) throw invalidRequest('Starter pack not found')
      return { body: { starterPack }, headers: labelerHeaders(context) }
    },
  }
}

async function load(
  { hydrator, fetchRequests, waits, underWay }: AppContext,
  uri: string,
  { viewer, signal }: { viewer: Viewer; signal: AbortSignal },
): Promise<ProfileState> {
  const read = () => hydrator.records([uri], viewer, { content: true })
  const lackOf = (state: ProfileState) => {
    const held = state.records.get(uri)
    if (held?.collection !== 'app.bsky.graph.starterpack') return [uri]
    const feeds = (held.record.feeds ?? []).map((feed) => feed.uri)
    const lacking = feeds.filter((feed) => !state.records.has(feed))
    return state.packs.get(uri)?.list ? lacking : [held.record.list, ...lacking]
  }
  const state = read()
  const lacking = lackOf(state)
  if (lacking.length === 0 || !viewer) return state
  const ask = (uris: string[]) => {
    const asked = fetchRequests.ask(viewer, { uris })
    const keys = uris.map(parseRecordUri).filter((key) => key !== undefined)
    return { uris, isOver: whenAsked(asked, () => underWay.records(keys)) }
  }
  let latest = ask(lacking)
  await waits.awaited(lacking, {
    isThere: () => {
      const still = lackOf(read())
      // What it names is known only when it has come itself.
      if (still.some((one) => !latest.uris.includes(one))) latest = ask(still)
      return still.length === 0
    },
    isOver: () => latest.isOver(),
    signal,
  })
  return read()
}

/** People share links with handles in them. */
async function byDid({ names }: AppContext, uri: string): Promise<string> {
  const [, , authority = '', ...rest] = uri.split('/')
  if (authority.startsWith('did:')) return uri
  const found = await names.find(authority)
  return found ? ['at:', '', found.did, ...rest].join('/') : uri
}
