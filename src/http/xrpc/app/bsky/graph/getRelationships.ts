// app.bsky.graph.getRelationships: what stands between one account and up to thirty others, in public
// records: follows and blocks, either way, direct or by list. Never any private state.

import type { $Typed, AppBskyGraphDefs, AppBskyGraphGetRelationships } from '@atproto/api'
import { createReader } from '../../../../../answers/hydrate/reader.ts'
import { relationship } from '../../../../../answers/views/relationship.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'

export const getRelationships = query(
  'app.bsky.graph.getRelationships',
  { auth: 'none' },
  async ({ hydrator, names }, call: Call<AppBskyGraphGetRelationships.QueryParams>) => {
    const { actor, others = [] } = call.params
    const asking = await names.find(actor)
    if (!asking) return { body: { relationships: others.map(notFound) } }
    const found = others.map((other) => names.known(other))
    const uids = found.map((other) => other?.uid ?? 0).filter((uid) => uid !== 0)
    const state = hydrator.profiles(uids, createReader(asking, call.reader))
    const relationships = found.map((other, i) =>
      other ? relationship(state, other) : notFound(others[i]!),
    )
    return { body: { actor: asking.did, relationships } }
  },
)

/** A handle that leads nowhere; a DID always names an account, known or not. */
function notFound(actor: string): $Typed<AppBskyGraphDefs.NotFoundActor> {
  return { $type: 'app.bsky.graph.defs#notFoundActor', actor, notFound: true }
}
