// app.bsky.graph.getRelationships: public relationships between one account and up to thirty others: follows
// and blocks in both directions, direct or by list. Never any private state.

import type { AppBskyGraphGetRelationships } from '@atproto/api'
import { createReader } from '../../../../../answers/hydrate/reader.ts'
import { relationship } from '../../../../../answers/views/profiles/relationship.ts'
import { allOf, andThen, type MaybeLater } from '../../../../../base/util/turn.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { notFoundActor } from '../../../naming/named-actor.ts'
import { isStoredAccount } from '../../../strangers/holdings.ts'
import type { LookedUpFor } from '../../../strangers/outside-shares.ts'
import { notHereYet } from '../../../waiting/not-here.ts'

export const getRelationships = query(
  'app.bsky.graph.getRelationships',
  { auth: 'none' },
  (app, call: Call<AppBskyGraphGetRelationships.QueryParams>) => {
    const { hydrator, names } = app
    const { actor, others = [] } = call.params
    const named = allOf([actor, ...others].map((value) => names.find(value, call)))
    return andThen(named, ([asking, ...found]) => {
      if (!asking) return { body: { relationships: others.map(notFoundActor) } }
      const uids = found.map((other) => other?.uid ?? 0).filter((uid) => uid !== 0)
      const state = hydrator.profiles(uids, createReader(asking, call.reader))
      const relationships = found.map((other, i) =>
        other ? relationship(state, other) : notFoundActor(others[i]!),
      )
      const answer = { body: { actor: asking.did, relationships } }
      if (relationships.some(isAnyRelation)) return answer
      return andThen(isAnyUnknown(app, { asking, found }, call), (isUnknown) => {
        if (isUnknown) throw notHereYet(NOT_HELD)
        return answer
      })
    })
  },
)

const NOT_HELD = 'Neither account’s follows and blocks are kept here'

/** Between two accounts that are not held, nothing is known; an account that does not exist has no relations. */
function isAnyUnknown(
  app: Needs<'actors' | 'scope' | 'unknownThings'>,
  { asking, found }: { asking: NamedActor; found: readonly (NamedActor | undefined)[] },
  call: LookedUpFor,
): MaybeLater<boolean> {
  const isUnheld = ({ uid }: NamedActor) => !isStoredAccount(app, uid)
  const others = found.flatMap((actor) => (actor && isUnheld(actor) ? actor : []))
  if (others.length === 0 || !isUnheld(asking)) return false
  const dids = [asking, ...others].map(({ did }) => did)
  return andThen(
    app.unknownThings.absentAmong(dids, call),
    (absent) => !absent.has(asking.did) && others.some(({ did }) => !absent.has(did)),
  )
}

/** More than the account’s DID. */
function isAnyRelation(relationship: object): boolean {
  const { $type: _, did: __, ...relations } = relationship as Record<string, unknown>
  return Object.values(relations).some((uri) => uri !== undefined)
}
