// Our own knowledge about a stranger's answer, which takes precedence over the answer. `collect` lists
// everything to look up, so that it can be loaded at once; `speak` then writes it into the views: the
// viewer's state for accounts and posts, our labelers' labels, and our own view of posts by authors held
// here. An embed that the viewer may not see is replaced by a note that it is hidden.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { innerViews, kindOf } from './view-kinds.ts'

export type AccountVerdict = {
  /** Not active, or taken down by us or by a labeler that may. */
  isHidden: boolean
  blocks: boolean
  mutes: boolean
  mutesReposts: boolean
  mutesQuotePosts: boolean
  /** Verified by us. */
  handle: string | undefined
  /** Undefined for a visitor. */
  viewer: JsonObject | undefined
  /** The same for an account in a block with the viewer. */
  blockedViewer: JsonObject | undefined
  labels: readonly object[]
}

export type RecordVerdict = {
  /** Deleted, or taken down. */
  isGone: boolean
  viewer: JsonObject | undefined
  labels: readonly object[]
  /** Our own view of it, if it is held here completely. */
  own?: JsonObject
}

export type OurVerdict = {
  isSignedIn: boolean
  account(did: string): AccountVerdict
  post(uri: string): RecordVerdict
  record(uri: string): RecordVerdict
}

type Subjects = { dids: Set<string>; posts: Set<string>; records: Set<string> }

/** Collects everything in these views that we may know something about. */
export function collect(view: JsonObject, subjects: Subjects = noSubjects()): Subjects {
  const kind = kindOf(view)
  const { did, uri } = view
  if (typeof did === 'string') subjects.dids.add(did)
  if (kind === 'post') subjects.posts.add(String(uri))
  if (kind === 'record') subjects.records.add(String(uri))
  for (const inner of innerViews(view)) collect(inner, subjects)
  return subjects
}

function noSubjects(): Subjects {
  return { dids: new Set(), posts: new Set(), records: new Set() }
}

/** The owner's DID: a post's author, or the creator of any other record. */
export function ownerOf(view: JsonObject): string {
  const owner = view['author'] ?? view['creator']
  return isObject(owner) ? String(owner['did']) : ''
}

/** Modifies `view` and all views in it. */
export function speak(view: JsonObject, verdict: OurVerdict): void {
  const kind = kindOf(view)
  if (kind === 'account') speakOfAccount(view, verdict.account(String(view['did'])))
  if (kind === 'post') {
    const state = verdict.post(String(view['uri']))
    const isComplete = isObject(view['record'])
    if (state.own && isComplete) return replace(view, state.own)
    speakOfThing(view, isComplete ? state : { ...state, viewer: undefined })
  }
  if (kind === 'record') speakOfThing(view, verdict.record(String(view['uri'])))
  for (const [name, value] of Object.entries(view)) {
    const stead = isObject(value) ? inStead(value, verdict) : undefined
    if (stead) view[name] = stead
  }
  for (const inner of innerViews(view)) speak(inner, verdict)
}

function speakOfAccount(view: JsonObject, verdict: AccountVerdict): void {
  if (verdict.handle !== undefined) view['handle'] = verdict.handle
  speakOfThing(view, verdict)
}

function speakOfThing(view: JsonObject, verdict: Pick<RecordVerdict, 'viewer' | 'labels'>): void {
  if (verdict.viewer) view['viewer'] = verdict.viewer
  if (verdict.labels.length === 0) return
  const theirs = Array.isArray(view['labels']) ? (view['labels'] as JsonObject[]) : []
  const labels = verdict.labels as readonly JsonObject[]
  const key = (label: JsonObject) => `${label['src']} ${label['val']} ${label['uri']}`
  const ours = new Set(labels.map(key))
  view['labels'] = [...labels, ...theirs.filter((label) => !ours.has(key(label)))]
}

function replace(view: JsonObject, own: JsonObject): void {
  const { $type } = view
  for (const name of Object.keys(view)) delete view[name]
  Object.assign(view, own, $type === undefined ? {} : { $type })
}

const EMBED = 'app.bsky.embed.record'

/** Replaces an embed that the viewer may not see. */
function inStead(view: JsonObject, verdict: OurVerdict): JsonObject | undefined {
  const { $type, uri } = view
  const isRecord = typeof $type === 'string' && isObject(view['creator'])
  if ($type !== `${EMBED}#viewRecord` && !isRecord) return undefined
  const did = ownerOf(view)
  const account = verdict.account(did)
  const thing = isRecord ? verdict.record(String(uri)) : verdict.post(String(uri))
  if (account.blocks) {
    const author = { did, viewer: account.blockedViewer }
    return { $type: `${EMBED}#viewBlocked`, uri, blocked: true, author }
  }
  if (!account.isHidden && !thing.isGone) return undefined
  return { $type: `${EMBED}#viewNotFound`, uri, notFound: true }
}

const WITHHELD = '!no-unauthenticated'

/** Whether the account asks not to be shown to visitors who are not signed in. */
export function isWithheld(account: unknown, verdict: OurVerdict): boolean {
  if (verdict.isSignedIn || !isObject(account)) return false
  const labels = [...((account['labels'] as JsonObject[] | undefined) ?? [])]
  return [...labels, ...(verdict.account(String(account['did'])).labels as JsonObject[])].some(
    ({ val }) => val === WITHHELD,
  )
}
