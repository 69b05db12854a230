// io.slipstream.graph.getSocialProof, our own method: known followers of up to a hundred accounts at once.
// Lexicon: lexicons/io/slipstream/graph/getSocialProof.json.

import { allOf, andThen } from '../../../../../base/util/turn.ts'
import type { SignedInCall } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import type { NamedActor } from '../../../naming/actor-names.ts'
import { notFoundActor } from '../../../naming/named-actor.ts'
import { notBlocked } from '../../../paging/present.ts'

type ProofCall = SignedInCall<{ subjects: string[]; followers: number }>
type Named = (NamedActor | undefined)[]

const NO_PROOF = { count: 0, followers: [] as number[] }

export const getSocialProof = query(
  'io.slipstream.graph.getSocialProof',
  { auth: 'required' },
  (app, call: ProofCall) => {
    const { subjects } = call.params
    return andThen(allOf(subjects.map((subject) => app.names.find(subject, call))), (found) => {
      const proofs = prove(app, call, found)
      return { body: { proofs: proofs.map((proof, i) => proof ?? notFoundActor(subjects[i]!)) } }
    })
  },
)

function prove(
  { knownFollowers, viewCache }: Needs<'knownFollowers' | 'viewCache'>,
  { params, reader, viewer }: ProofCall,
  found: Named,
) {
  const proofs = found.map((subject) =>
    subject?.uid && viewer.uid
      ? knownFollowers.proof({ viewer: viewer.uid, subject: subject.uid }, params.followers)
      : NO_PROOF,
  )
  const pairs = proofs.flatMap(({ followers }, i) =>
    followers.map((follower) => [found[i]!.uid, follower] as const),
  )
  const blocks = viewCache.blocksAmong(pairs, reader)
  const visible = [...new Set(pairs.map(([, follower]) => follower))]
  const profiles = viewCache.profiles(visible, reader, { basic: true, isVisible: notBlocked })
  const profileOf = new Map(visible.map((uid, i) => [uid, profiles[i]]))
  return found.map((subject, i) => {
    if (!subject) return undefined
    const views = proofs[i]!.followers.filter((uid) => !blocks.has(subject.uid, uid)).map((uid) =>
      profileOf.get(uid),
    )
    return {
      $type: 'io.slipstream.graph.getSocialProof#proof',
      did: subject.did,
      count: proofs[i]!.count,
      followers: views.filter((view) => view !== undefined),
    }
  })
}
