// Answers a call about thousands of items in slices, between which the thread answers other calls: a whole
// one would hold it for up to a few hundred milliseconds. A page of the frontend asks for less than a slice.

import { sharingTurns } from '../../../base/util/turn.ts'
import { bounded, tooLarge } from '../wire/messages.ts'
import type { support } from './support.ts'

type Request = Record<string, unknown>
type Handler<Ended> = (request: never, ended: Ended) => object | Promise<object>

const AT_ONCE = 250
/** Where an item takes more than others: of each post, the likes are read. */
const FEWER_AT_ONCE: Record<string, number> = { getKnownLikers: 10 }

/** The request's list in each call whose answer has one independent entry per item of that list. */
const lists: { [Name in keyof typeof support]?: string } = {
  ...each('uris', [
    'getPostRecords',
    'getRepostRecords',
    'getLikeRecords',
    'getFollowRecords',
    'getBlockRecords',
    'getListRecords',
    'getListItemRecords',
    'getListBlockRecords',
    'getProfileRecords',
    'getThreadGateRecords',
    'getPostgateRecords',
    'getFeedGeneratorRecords',
    'getStarterPackRecords',
    'getLabelerRecords',
    'getStatusRecords',
    'getVerificationRecords',
    'getNotificationDeclarationRecords',
    'getActorChatDeclarationRecords',
    'getGermDeclarationRecords',
    'getBookmarksByActorAndSubjects',
  ]),
  ...each('refs', [
    'getInteractionCounts',
    'getLikesByActorAndSubjects',
    'getRepostsByActorAndSubjects',
    'getStarterPackCounts',
    'getListCounts',
  ]),
  ...each('dids', ['getActors', 'getCountsForUsers', 'getNotificationPreferences']),
  ...each('targetDids', ['getRelationships', 'getActorFollowsActors']),
  ...each('subjectUris', ['getKnownLikers', 'getReferencelistoptoutsByActorAndSubjects']),
  getActivitySubscriptionsByActorAndSubjects: 'subjectDids',
  getBlockExistence: 'pairs',
  getLabels: 'subjects',
  getListMembership: 'listUris',
  getThreadMutesOnSubjects: 'threadRoots',
}

/** Calls whose answers are not in the order of the request, so duplicates are asked only once. */
const UNPLACED = new Set(['getLabels'])

type Slicing<Ended> = {
  /** Runs before each slice, as before each call; throws if the client no longer waits. */
  begin: (ended: Ended) => void
  encode: (answer: object) => Uint8Array
  maxBytes: number
}

export function inSlices<Ended>(
  name: string,
  handler: Handler<Ended>,
  { begin, encode, maxBytes }: Slicing<Ended>,
): Handler<Ended> {
  const list = (lists as Record<string, string | undefined>)[name]
  if (list === undefined) return handler
  const atOnce = FEWER_AT_ONCE[name] ?? AT_ONCE
  return (request: Request, ended) => {
    const requested = request[list] as unknown[]
    if (requested.length <= atOnce) return handler(request as never, ended)
    const items = UNPLACED.has(name) ? [...new Set(bounded(requested))] : bounded(requested)
    const answerOf = (some: readonly unknown[]) => {
      begin(ended)
      return encoded(handler({ ...request, [list]: some } as never, ended), encode)
    }
    return sharingTurns(inOrder(slicesOf(items, atOnce), answerOf, maxBytes))
  }
}

function encoded(answer: object | Promise<object>, encode: (answer: object) => Uint8Array) {
  return answer instanceof Promise ? answer.then(encode) : encode(answer)
}

/**
 * Concatenates encoded answers, which appends their repeated fields.
 * @throws ConnectError once they are more than may be sent, before the others are made
 */
function* inOrder(
  slices: Iterable<readonly unknown[]>,
  answerOf: (some: readonly unknown[]) => Uint8Array | Promise<Uint8Array>,
  maxBytes: number,
): Generator<void, Promise<Uint8Array>> {
  const answers: (Uint8Array | Promise<Uint8Array>)[] = []
  let bytes = 0
  for (const some of slices) {
    const answer = answerOf(some)
    if (answer instanceof Uint8Array) bytes += answer.length
    if (bytes > maxBytes) throw tooLarge()
    answers.push(answer)
    yield
  }
  return Promise.all(answers).then((all) => Buffer.concat(all))
}

/** Calls `work` with each slice, and lets other calls run in between. */
export async function forSlices<T>(
  items: readonly T[],
  work: (some: readonly T[]) => void,
): Promise<void> {
  function* each() {
    for (const some of slicesOf(items)) {
      work(some)
      yield
    }
  }
  await sharingTurns(each())
}

function* slicesOf<T>(items: readonly T[], atOnce = AT_ONCE): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += atOnce) yield items.slice(at, at + atOnce)
}

function each<const Names extends readonly (keyof typeof support)[]>(
  list: string,
  names: Names,
): Record<Names[number], string> {
  return Object.fromEntries(names.map((name) => [name, list])) as Record<Names[number], string>
}
