// app.bsky.graph.getRelationships: public relationships between one account and up to thirty others: follows
// and blocks in both directions, direct or by list. Never any private state.

import type { AppBskyGraphGetRelationships } from '@atproto/api'
import { createReader } from '../../../../../answers/hydrate/reader.ts'
import { relationship } from '../../../../../answers/views/relationship.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { andThen } from '../../../maybe-later.ts'
import { notFoundActor } from '../../../named-actor.ts'

export const getRelationships = query(
  'app.bsky.graph.getRelationships',
  { auth: 'none' },
  ({ hydrator, names }, call: Call<AppBskyGraphGetRelationships.QueryParams>) => {
    const { actor, others = [] } = call.params
    return andThen(names.find(actor), (asking) => {
      if (!asking) return { body: { relationships: others.map(notFoundActor) } }
      const found = others.map((other) => names.known(other))
      const uids = found.map((other) => other?.uid ?? 0).filter((uid) => uid !== 0)
      const state = hydrator.profiles(uids, createReader(asking, call.reader))
      const relationships = found.map((other, i) =>
        other ? relationship(state, other) : notFoundActor(others[i]!),
      )
      return { body: { actor: asking.did, relationships } }
    })
  },
)
