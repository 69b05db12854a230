// Methods about one account, post or record. If we do not hold it (rules.ts), the answer
// is the public AppView's, or ours if there is none. Ours is made in any case: it knows of blocks and
// requests missing data. If we hold it, but counts show earlier activity, the AppView's items follow ours
// (earlier-activity.ts); a thread is then the AppView's.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { MethodResult, Params } from '../../../http/server/method.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import {
  isAway,
  isStoredAccount,
  isStoredList,
  isStoredPost,
} from '../../../http/xrpc/strangers/holdings.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { itemsFieldOf } from '../appview/valid-answer.ts'
import { isWrapped } from '../appview/wrapped-cursor.ts'
import type { FallbackContext } from './context.ts'
import { earlierActivity, oursThenTheirs } from './earlier-activity.ts'
import { isAboutItem, isAboutSubject } from './is-about.ts'
import { lastPage } from './last-page.ts'
import { isFinal, type Outcome, outcomeOf, plainBody, settle } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'
import { withOwnReplies } from './own-replies.ts'
import type { MissingData } from './rules.ts'
import { parseWrapped, theirPage } from './their-page.ts'

type Complete = Extract<MissingData, { about: 'account' | 'post' | 'record' }>
/** `key` is the subject's global name: a DID, or an at-URI with one. */
type Subject = { key: string; isHeld: boolean }

export function completeAnswers(
  app: FallbackContext,
  own: OwnMethod,
  missingData: Complete,
): Answering {
  const activity = earlierActivity(app, own.nsid)
  const isThread = /\.getPostThread(Other)?(V2)?$/.test(own.nsid)
  const answered = (call: Call, subject: Subject | undefined) => {
    if (subject?.isHeld && activity?.areMore(subject.key)) {
      const request = { param: missingData.param, key: subject.key, call, activity }
      return oursThenTheirs(app, own, request)
    }
    const { cursor } = call.params
    if (isWrapped(cursor)) return goOn(app, own, { missingData, subject, call })
    // Continues our own list.
    if (cursor !== undefined || !subject) return own.answer(call)
    const request = { missingData, subject, call }
    if (!subject.isHeld) return answer(app, own, request)
    return isThread ? thread(app, own, request) : own.answer(call)
  }
  return (call) => {
    const { cursor } = call.params
    if (cursor !== undefined && !isWrapped(cursor) && !activity) return own.answer(call)
    const subject = findSubject(app, { missingData, method: own.nsid }, call)
    return subject instanceof Promise
      ? subject.then((found) => answered(call, found))
      : answered(call, subject)
  }
}

type Request = { missingData: Complete; subject: Subject; call: Call }

/** Uses the AppView's thread if it has replies from before we indexed them. */
async function thread(
  app: FallbackContext,
  own: OwnMethod,
  request: Request,
): Promise<MethodResult> {
  const { subject, call } = request
  const id = app.postsByUri([subject.key]).get(subject.key)?.id ?? 0
  const earlier = await app.counted?.post(id, call.signal)
  if (!earlier || earlier.replies === 0) return own.answer(call)
  return answer(app, own, request)
}

async function answer(
  app: FallbackContext,
  own: OwnMethod,
  request: Request,
): Promise<MethodResult> {
  const { call } = request
  const [ours, theirs] = await Promise.all([
    outcomeOf(own.atOnce, call),
    requestOf(app, own.nsid, request, { page: 0, theirs: undefined }),
  ])
  if (isFinal(ours)) return settle(ours)
  if (!theirs) return own.answer(call.again())
  if (itemsIn(own.nsid, theirs)?.length === 0) {
    const found = await fuller(own, { call, ours, theirs })
    if (found) return found
  }
  return { body: completed(app, own.nsid, { theirs, call }) }
}

/**
 * Our own answer, if it has anything where theirs is empty. That may be because they do not hold the
 * account, either: then its own server is waited for, if it has what the list is made of.
 */
async function fuller(
  own: OwnMethod,
  { call, ours, theirs }: { call: Call; ours: Outcome; theirs: JsonObject },
): Promise<MethodResult | undefined> {
  const mayWait = IN_REPOSITORIES.has(own.nsid) && theirs['cursor'] === undefined
  const outcome = mayWait ? await outcomeOf(own.answer, call.again()) : ours
  if (isFinal(outcome)) return settle(outcome)
  if ('error' in outcome) return undefined
  const items = itemsIn(own.nsid, await plainBody(outcome.result, call))
  return items?.length === 0 ? undefined : outcome.result
}

/** Lists of what the account itself wrote. */
const IN_REPOSITORIES = new Set([
  'app.bsky.feed.getActorFeeds',
  'app.bsky.feed.getAuthorFeed',
  'app.bsky.graph.getActorStarterPacks',
  'app.bsky.graph.getFollows',
  'app.bsky.graph.getList',
  'app.bsky.graph.getLists',
])

const LIST_FEED = 'app.bsky.feed.getListFeed'
const THREAD = 'app.bsky.unspecced.getPostThreadV2'

function completed(
  app: FallbackContext,
  nsid: string,
  { theirs, call }: { theirs: JsonObject; call: Call },
): JsonObject {
  if (nsid !== THREAD) return theirs
  return withOwnReplies(app, theirs, { reader: call.reader, below: Number(call.params['below']) })
}

/** If the AppView has no more items, the list ends. */
async function goOn(
  app: FallbackContext,
  own: OwnMethod,
  request: Omit<Request, 'subject'> & { subject: Subject | undefined },
): Promise<MethodResult> {
  const { call, subject } = request
  const from = parseWrapped(own.nsid, call)
  const theirs = subject && (await requestOf(app, own.nsid, { ...request, subject }, from))
  if (theirs) return { body: theirs }
  return lastPage(own, call)
}

async function requestOf(
  app: FallbackContext,
  nsid: string,
  { missingData, subject, call }: Request,
  from: { page: number; theirs: string | undefined },
): Promise<JsonObject | undefined> {
  // Another AppView ignores the bound, and cursors of ours mean nothing to it.
  if (call.params['since'] !== undefined) return undefined
  const params = bounded({ ...call.params, [missingData.param]: subject.key })
  const filter = (items: JsonObject[]) =>
    items.filter((item) => isAboutItem(item, missingData.about, subject.key))
  const answer = await theirPage(app, { call, nsid, params, from, filter })
  if (!answer || !isAboutSubject(answer, missingData.about, subject.key)) return undefined
  const { uri, cid } = call.params
  return 'uri' in answer ? { ...answer, uri, cid } : answer
}

const MAX_DEPTH = 20
const MAX_HEIGHT = 80

/** Limits the depth of the answer's JSON to what our code can walk. */
function bounded(params: Params): Params {
  const { depth, parentHeight } = params
  return {
    ...params,
    ...(typeof depth === 'number' && { depth: Math.min(depth, MAX_DEPTH) }),
    ...(typeof parentHeight === 'number' && { parentHeight: Math.min(parentHeight, MAX_HEIGHT) }),
  }
}

function itemsIn(nsid: string, body: JsonObject): unknown[] | undefined {
  const field = itemsFieldOf(loadLexicons(), nsid)
  const items = field === undefined ? undefined : body[field]
  return Array.isArray(items) ? items : undefined
}

/**
 * @returns undefined if the subject does not exist, is away, or belongs to the viewer and is not
 * held here: then only our own answer counts
 */
function findSubject(
  app: FallbackContext,
  { missingData: { about, param }, method }: { missingData: Complete; method: string },
  { params, reader, viewer, who, time }: Call,
): MaybeLater<Subject | undefined> {
  const named = String(params[param])
  if (about === 'post') {
    const did = parseRecordUri(named)?.did
    if (did === undefined || isAway(app, app.actors.uidOf(did), reader)) return undefined
    // A viewer who reads here for the first time is soon backfilled.
    const isHeld = isStoredPost(app, named)
    return did === viewer?.did && !isHeld ? undefined : { key: named, isHeld }
  }
  const [, , authority = '', ...rest] = about === 'record' ? named.split('/') : ['', '', named]
  return andThen(app.names.find(authority, { who, time }), (found) => {
    if (!found || isAway(app, found.uid, reader)) return undefined
    const key = rest.length > 0 ? ['at:', '', found.did, ...rest].join('/') : found.did
    const isHeld =
      isStoredAccount(app, found.uid) && (method !== LIST_FEED || isStoredList(app, key))
    return found.did === viewer?.did && !isHeld ? undefined : { key, isHeld }
  })
}
