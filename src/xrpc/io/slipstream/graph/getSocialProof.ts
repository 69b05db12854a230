// io.slipstream.graph.getSocialProof, our own: known followers of up to a hundred accounts at once.
// Lexicon: lexicons/io/slipstream/graph/getSocialProof.json.

import type { Viewer } from '../../../../hydrate/types.ts'
import { profileViewBasic } from '../../../../views/profile-views.ts'
import { viewerBlocks } from '../../../../views/rules.ts'
import type { NamedActor } from '../../../actor-names.ts'
import { labelerHeaders } from '../../../answer-headers.ts'
import type { Method } from '../../../method.ts'
import { type Serving, viewerOf } from '../../../serving.ts'

type Params = { subjects: string[]; followers: number }

const NO_PROOF = { count: 0, followers: [] as number[] }

export function getSocialProof(serving: Serving): Method<Params> {
  return {
    nsid: 'io.slipstream.graph.getSocialProof',
    kind: 'query',
    auth: 'required',
    handler: async (context) => {
      const { subjects, followers } = context.params
      const viewer = viewerOf(serving.actors, context.viewer!)
      const found = await Promise.all(subjects.map((subject) => serving.names.find(subject)))
      const proofs = prove(serving, viewer, { found, few: followers }).map(
        (proof, i) => proof ?? notFound(subjects[i]!),
      )
      return { body: { proofs }, headers: labelerHeaders(context) }
    },
  }
}

function prove(
  { knownFollowers, hydrator, wanted }: Serving,
  viewer: NonNullable<Viewer>,
  { found, few }: { found: (NamedActor | undefined)[]; few: number },
) {
  const proofs = found.map((subject) =>
    subject?.uid && viewer.uid
      ? knownFollowers.proof({ viewer: viewer.uid, subject: subject.uid }, few)
      : NO_PROOF,
  )
  const blockPairs = proofs.flatMap(({ followers }, i) =>
    followers.map((follower) => [found[i]!.uid, follower] as const),
  )
  const shown = [...new Set(proofs.flatMap(({ followers }) => followers))]
  const state = hydrator.profiles(shown, viewer, { blockPairs })
  wanted.afterProfiles(state)
  return found.map((subject, i) => {
    const { count, followers } = proofs[i]!
    const allowed = followers.filter(
      (uid) => !viewerBlocks(state, uid) && !state.blocks.has(subject?.uid ?? 0, uid),
    )
    const views = allowed.map((uid) => profileViewBasic(state, uid))
    return (
      subject && {
        $type: 'io.slipstream.graph.getSocialProof#proof',
        did: subject.did,
        count,
        followers: views.filter((view) => view !== undefined),
      }
    )
  })
}

function notFound(actor: string) {
  return { $type: 'app.bsky.graph.defs#notFoundActor', actor, notFound: true }
}
