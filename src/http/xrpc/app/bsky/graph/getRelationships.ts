// app.bsky.graph.getRelationships: what stands between one account and up to thirty others, in public
// records: follows and blocks, either way, direct or by list. Never any private state.

import type { $Typed, AppBskyGraphDefs, AppBskyGraphGetRelationships } from '@atproto/api'
import { relationship } from '../../../../../answers/views/relationship.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import type { AppContext } from '../../../app-context.ts'

export function getRelationships(
  serving: AppContext,
): Method<AppBskyGraphGetRelationships.QueryParams> {
  const { hydrator, names } = serving
  return {
    nsid: 'app.bsky.graph.getRelationships',
    kind: 'query',
    auth: 'none',
    handler: async (context) => {
      const { actor, others = [] } = context.params
      const asking = await names.find(actor)
      const headers = labelerHeaders(context)
      if (!asking) return { body: { relationships: others.map(notFound) }, headers }
      const found = others.map((other) => names.known(other))
      const uids = found.map((other) => other?.uid ?? 0).filter((uid) => uid !== 0)
      const state = hydrator.profiles(uids, asking)
      const relationships = found.map((other, i) =>
        other ? relationship(state, other) : notFound(others[i]!),
      )
      return { body: { actor: asking.did, relationships }, headers }
    },
  }
}

/** A handle that leads nowhere; a DID always names an account, known or not. */
function notFound(actor: string): $Typed<AppBskyGraphDefs.NotFoundActor> {
  return { $type: 'app.bsky.graph.defs#notFoundActor', actor, notFound: true }
}
