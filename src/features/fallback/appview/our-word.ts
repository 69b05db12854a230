// Our own knowledge about a stranger's answer, which takes precedence over the answer. `collect` lists
// everything to look up, so that it can be loaded at once; `speak` then writes it into the views: the
// viewer's state for accounts and posts, our labelers' labels, and our own view of posts by authors held
// here. An embed that the viewer may not see is replaced by a note that it is hidden.

import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { innerViews, kindOf } from './view-kinds.ts'

export type AccountWord = {
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

export type ThingWord = {
  /** Deleted, or taken down. */
  isGone: boolean
  viewer: JsonObject | undefined
  labels: readonly object[]
  /** Our own view of it, if it is held here completely. */
  own?: JsonObject
}

export type OurWord = {
  isSignedIn: boolean
  account(did: string): AccountWord
  post(uri: string): ThingWord
  record(uri: string): ThingWord
}

type Shown = { dids: Set<string>; posts: Set<string>; records: Set<string> }

/** Collects everything in these views that we may know something about. */
export function collect(view: JsonObject, shown: Shown = emptyShown()): Shown {
  const kind = kindOf(view)
  const { did, uri } = view
  if (typeof did === 'string') shown.dids.add(did)
  if (kind === 'post') shown.posts.add(String(uri))
  if (kind === 'record') shown.records.add(String(uri))
  for (const inner of innerViews(view)) collect(inner, shown)
  return shown
}

function emptyShown(): Shown {
  return { dids: new Set(), posts: new Set(), records: new Set() }
}

/** The owner's DID: a post's author, or the creator of any other record. */
export function ownerOf(view: JsonObject): string {
  const owner = view['author'] ?? view['creator']
  return isObject(owner) ? String(owner['did']) : ''
}

/** Modifies `view` and all views in it. */
export function speak(view: JsonObject, word: OurWord): void {
  const kind = kindOf(view)
  if (kind === 'account') speakOfAccount(view, word.account(String(view['did'])))
  if (kind === 'post') {
    const said = word.post(String(view['uri']))
    const isWhole = isObject(view['record'])
    if (said.own && isWhole) return replace(view, said.own)
    speakOfThing(view, isWhole ? said : { ...said, viewer: undefined })
  }
  if (kind === 'record') speakOfThing(view, word.record(String(view['uri'])))
  for (const [name, value] of Object.entries(view)) {
    const stead = isObject(value) ? inStead(value, word) : undefined
    if (stead) view[name] = stead
  }
  for (const inner of innerViews(view)) speak(inner, word)
}

function speakOfAccount(view: JsonObject, said: AccountWord): void {
  if (said.handle !== undefined) view['handle'] = said.handle
  speakOfThing(view, said)
}

function speakOfThing(view: JsonObject, said: Pick<ThingWord, 'viewer' | 'labels'>): void {
  if (said.viewer) view['viewer'] = said.viewer
  if (said.labels.length === 0) return
  const theirs = Array.isArray(view['labels']) ? (view['labels'] as JsonObject[]) : []
  const labels = said.labels as readonly JsonObject[]
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
function inStead(view: JsonObject, word: OurWord): JsonObject | undefined {
  const { $type, uri } = view
  const isRecord = typeof $type === 'string' && isObject(view['creator'])
  if ($type !== `${EMBED}#viewRecord` && !isRecord) return undefined
  const did = ownerOf(view)
  const account = word.account(did)
  const thing = isRecord ? word.record(String(uri)) : word.post(String(uri))
  if (account.blocks) {
    const author = { did, viewer: account.blockedViewer }
    return { $type: `${EMBED}#viewBlocked`, uri, blocked: true, author }
  }
  if (!account.isHidden && !thing.isGone) return undefined
  return { $type: `${EMBED}#viewNotFound`, uri, notFound: true }
}

const WITHHELD = '!no-unauthenticated'

/** Whether the account asks not to be shown to visitors who are not signed in. */
export function isWithheld(account: unknown, word: OurWord): boolean {
  if (word.isSignedIn || !isObject(account)) return false
  const labels = [...((account['labels'] as JsonObject[] | undefined) ?? [])]
  return [...labels, ...(word.account(String(account['did'])).labels as JsonObject[])].some(
    ({ val }) => val === WITHHELD,
  )
}
