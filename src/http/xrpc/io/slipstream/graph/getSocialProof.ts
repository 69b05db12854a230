// io.slipstream.graph.getSocialProof, our own: known followers of up to a hundred accounts at once.
// Lexicon: lexicons/io/slipstream/graph/getSocialProof.json.

import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { readyArray } from '../../../../../answers/views/ready-json.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult } from '../../../../server/method.ts'
import { andThen, type MaybeLater, type NamedActor } from '../../../actor-names.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'

type Params = { subjects: string[]; followers: number }
type Named = (NamedActor | undefined)[]

const NO_PROOF = { count: 0, followers: [] as number[] }

export function getSocialProof(serving: AppContext): Method<Params> {
  return {
    nsid: 'io.slipstream.graph.getSocialProof',
    kind: 'query',
    auth: 'required',
    handler: (context) =>
      andThen(findAll(serving, context.params.subjects), (found) =>
        answer(serving, context, found),
      ),
  }
}

function findAll({ names }: AppContext, subjects: string[]): MaybeLater<Named> {
  const found = subjects.map((subject) => names.find(subject))
  return found.some((one) => one instanceof Promise) ? Promise.all(found) : (found as Named)
}

function answer(serving: AppContext, context: MethodContext<Params>, found: Named): MethodResult {
  const { subjects, followers } = context.params
  const viewer = viewerOf(serving.actors, context.viewer!)
  const proofs = prove(serving, viewer, { found, few: followers }).map(
    (proof, i) => proof ?? notFound(subjects[i]!),
  )
  return { body: { proofs }, headers: labelerHeaders(context) }
}

function prove(
  { knownFollowers, viewCache }: AppContext,
  viewer: NonNullable<Viewer>,
  { found, few }: { found: Named; few: number },
) {
  const proofs = found.map((subject) =>
    subject?.uid && viewer.uid
      ? knownFollowers.proof({ viewer: viewer.uid, subject: subject.uid }, few)
      : NO_PROOF,
  )
  const pairs = proofs.flatMap(({ followers }, i) =>
    followers.map((follower) => [found[i]!.uid, follower] as const),
  )
  const blocks = viewCache.blocksAmong(pairs)
  const shown = [...new Set(pairs.map(([, follower]) => follower))]
  const texts = viewCache.profiles(shown, viewer, { basic: true, isShown: isUnblocked })
  const textOf = new Map(shown.map((uid, i) => [uid, texts[i]]))
  return found.map((subject, i) => {
    if (!subject) return undefined
    const views = proofs[i]!.followers.filter((uid) => !blocks.has(subject.uid, uid)).map((uid) =>
      textOf.get(uid),
    )
    return {
      $type: 'io.slipstream.graph.getSocialProof#proof',
      did: subject.did,
      count: proofs[i]!.count,
      followers: readyArray(views.filter((text) => text !== undefined)),
    }
  })
}

function isUnblocked(_: number, { blocks }: { blocks: boolean }): boolean {
  return !blocks
}

function notFound(actor: string) {
  return { $type: 'app.bsky.graph.defs#notFoundActor', actor, notFound: true }
}
