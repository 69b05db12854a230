// Methods about one account, post or record that we do not hold (sources/appview/coverage.ts): the answer is a
// stranger's, and ours where there is none. Ours is made all the same: it knows of blocks, and it asks for
// what is missing. Where we hold it, but more was done to it before than we know of, theirs come after ours
// (earlier-activity.ts); a thread is theirs then.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { loadLexicons } from '../../data/lexicons/lexicons.ts'
import type { Lack } from '../../sources/appview/coverage.ts'
import type { Json } from '../../sources/appview/json.ts'
import { itemsFieldOf } from '../../sources/appview/valid-answer.ts'
import { isWrapped } from '../../sources/appview/wrapped-cursor.ts'
import { labelerHeaders } from '../server/answer-headers.ts'
import type { Method, MethodContext, MethodResult, Params } from '../server/method.ts'
import { andThen, type MaybeLater } from '../xrpc/actor-names.ts'
import { type AppContext, viewerOf } from '../xrpc/app-context.ts'
import { findNamedPost } from '../xrpc/post-names.ts'
import { earlierActivity, oursThenTheirs } from './earlier-activity.ts'
import { isAway, isStoredAccount, isStoredList, isStoredPost } from './holdings.ts'
import { isAboutItem, isAboutSubject } from './is-about.ts'
import { lastPage } from './last-page.ts'
import { isFinal, outcomeOf, plainBody, settle } from './outcome.ts'
import { withOwnReplies } from './own-replies.ts'
import { parseWrapped, theirPage } from './their-page.ts'

type Whole = Extract<Lack, { about: 'account' | 'post' | 'record' }>
/** `key` is what it is known by everywhere: a DID, or an at-URI with one. */
export type Subject = { key: string; isHeld: boolean }

export function wholeAnswers(serving: AppContext, method: Method, lack: Whole): Method['handler'] {
  const deeds = earlierActivity(serving, method.nsid)
  const isThread = /\.getPostThread(Other)?(V2)?$/.test(method.nsid)
  const answered = (context: MethodContext, subject: Subject | undefined) => {
    if (subject?.isHeld && deeds?.areMore(subject.key)) {
      const request = { param: lack.param, key: subject.key, context, deeds }
      return oursThenTheirs(serving, method, request)
    }
    const { cursor } = context.params
    if (isWrapped(cursor)) return goOn(serving, method, { lack, subject, context })
    // On with our own.
    if (cursor !== undefined || !subject) return method.handler(context)
    const request = { lack, subject, context }
    if (!subject.isHeld) return answer(serving, method, request)
    return isThread ? thread(serving, method, request) : method.handler(context)
  }
  return (context) => {
    const { cursor } = context.params
    if (cursor !== undefined && !isWrapped(cursor) && !deeds) return method.handler(context)
    const subject = findSubject(serving, { lack, method: method.nsid }, context)
    return subject instanceof Promise
      ? subject.then((found) => answered(context, found))
      : answered(context, subject)
  }
}

type Request = { lack: Whole; subject: Subject; context: MethodContext }

/** Theirs, where it has replies from before we kept them. */
async function thread(
  serving: AppContext,
  method: Method,
  request: Request,
): Promise<MethodResult> {
  const { subject, context } = request
  const id = serving.postsByUri([subject.key]).get(subject.key)?.id ?? 0
  const earlier = await serving.counted?.post(id, context.signal)
  if (!earlier || earlier.replies === 0) return method.handler(context)
  return answer(serving, method, request)
}

async function answer(
  serving: AppContext,
  method: Method,
  request: Request,
): Promise<MethodResult> {
  const { context } = request
  const [ours, theirs] = await Promise.all([
    outcomeOf(method, context),
    askedOf(serving, method.nsid, request, { page: 0, theirs: undefined }),
  ])
  if (isFinal(ours) || !theirs) return settle(ours)
  const isEmpty = itemsIn(method.nsid, theirs)?.length === 0
  if (isEmpty && 'result' in ours && itemsIn(method.nsid, plainBody(ours.result))?.length !== 0) {
    return ours.result
  }
  return {
    body: completed(serving, method.nsid, { theirs, context }),
    headers: labelerHeaders(context),
  }
}

const LIST_FEED = 'app.bsky.feed.getListFeed'
const THREAD = 'app.bsky.unspecced.getPostThreadV2'

function completed(
  serving: AppContext,
  nsid: string,
  { theirs, context }: { theirs: Json; context: MethodContext },
): Json {
  if (nsid !== THREAD) return theirs
  const viewer = viewerOf(serving.actors, context.viewer)
  return withOwnReplies(serving, theirs, { viewer, below: Number(context.params['below']) })
}

/** Where they have no more to say, that is the end. */
async function goOn(
  serving: AppContext,
  method: Method,
  request: Omit<Request, 'subject'> & { subject: Subject | undefined },
): Promise<MethodResult> {
  const { context, subject } = request
  const from = parseWrapped(method.nsid, context)
  const theirs = subject && (await askedOf(serving, method.nsid, { ...request, subject }, from))
  if (theirs) return { body: theirs, headers: labelerHeaders(context) }
  return lastPage(method, context)
}

async function askedOf(
  serving: AppContext,
  nsid: string,
  { lack, subject, context }: Request,
  from: { page: number; theirs: string | undefined },
): Promise<Json | undefined> {
  const params = bounded({ ...context.params, [lack.param]: subject.key })
  const keep = (items: Json[]) => items.filter((item) => isAboutItem(item, lack.about, subject.key))
  const answer = await theirPage(serving, { context, nsid, params, from, keep })
  if (!answer || !isAboutSubject(answer, lack.about, subject.key)) return undefined
  const { uri, cid } = context.params
  return 'uri' in answer ? { ...answer, uri, cid } : answer
}

const MAX_DEPTH = 20
const MAX_HEIGHT = 80

/** A tree of JSON must not be deeper than anybody walks. */
function bounded(params: Params): Params {
  const { depth, parentHeight } = params
  return {
    ...params,
    ...(typeof depth === 'number' && { depth: Math.min(depth, MAX_DEPTH) }),
    ...(typeof parentHeight === 'number' && { parentHeight: Math.min(parentHeight, MAX_HEIGHT) }),
  }
}

function itemsIn(nsid: string, body: Json): unknown[] | undefined {
  const field = itemsFieldOf(loadLexicons(), nsid)
  const items = field === undefined ? undefined : body[field]
  return Array.isArray(items) ? items : undefined
}

/** @returns undefined where it is nobody, away, or the viewer's own: our own answer is the answer */
function findSubject(
  serving: AppContext,
  { lack: { about, param }, method }: { lack: Whole; method: string },
  { params, viewer }: MethodContext,
): MaybeLater<Subject | undefined> {
  const named = String(params[param])
  if (about === 'post') {
    return andThen(findNamedPost(serving, named), ({ uri }) => {
      const did = parseRecordUri(uri)?.did
      if (did === undefined || isAway(serving, serving.actors.uidOf(did))) return undefined
      // Somebody who reads here for the first time is no stranger for long.
      const isHeld = isStoredPost(serving, uri)
      return did === viewer && !isHeld ? undefined : { key: uri, isHeld }
    })
  }
  const [, , authority = '', ...rest] = about === 'record' ? named.split('/') : ['', '', named]
  return andThen(serving.names.find(authority), (found) => {
    if (!found || isAway(serving, found.uid)) return undefined
    const key = rest.length > 0 ? ['at:', '', found.did, ...rest].join('/') : found.did
    const isHeld =
      isStoredAccount(serving, found.uid) && (method !== LIST_FEED || isStoredList(serving, key))
    return found.did === viewer && !isHeld ? undefined : { key, isHeld }
  })
}
