// app.bsky.graph.getRelationships: public relationships between one account and up to thirty others: follows
// and blocks in both directions, direct or by list. Never any private state.

import type { AppBskyGraphGetRelationships } from '@atproto/api'
import { createReader } from '../../../../../answers/hydrate/reader.ts'
import { relationship } from '../../../../../answers/views/relationship.ts'
import { isStoredAccount } from '../../../../fallback/holdings.ts'
import type { NamedActor } from '../../../actor-names.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { allOf, andThen } from '../../../maybe-later.ts'
import { notFoundActor } from '../../../named-actor.ts'
import { notHereYet } from '../../../not-here.ts'

export const getRelationships = query(
  'app.bsky.graph.getRelationships',
  { auth: 'none' },
  (app, call: Call<AppBskyGraphGetRelationships.QueryParams>) => {
    const { hydrator, names } = app
    const { actor, others = [] } = call.params
    const named = allOf([actor, ...others].map((one) => names.find(one, call.who)))
    return andThen(named, ([asking, ...found]) => {
      if (!asking) return { body: { relationships: others.map(notFoundActor) } }
      const areUnknown = found.some((other) => other && !isEitherHeld(app, [asking, other]))
      const uids = found.map((other) => other?.uid ?? 0).filter((uid) => uid !== 0)
      const state = hydrator.profiles(uids, createReader(asking, call.reader))
      const relationships = found.map((other, i) =>
        other ? relationship(state, other) : notFoundActor(others[i]!),
      )
      if (areUnknown && !relationships.some(isAnyRelation)) throw notHereYet(NOT_HELD)
      return { body: { actor: asking.did, relationships } }
    })
  },
)

const NOT_HELD = 'Neither account’s follows and blocks are kept here'

/** Between two accounts that are not held, nothing is known. */
function isEitherHeld(app: Needs<'actors' | 'scope'>, pair: readonly NamedActor[]): boolean {
  return pair.some(({ uid }) => isStoredAccount(app, uid))
}

/** More than the account’s DID. */
function isAnyRelation(shown: object): boolean {
  const { $type: _, did: __, ...relations } = shown as Record<string, unknown>
  return Object.values(relations).some((uri) => uri !== undefined)
}
