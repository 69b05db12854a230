// A member's private state as one JSON document: all that lives in no repository, in terms that mean the same
// on every server (DIDs, at-URIs, times), each kind oldest first. Every entry must be valid input for the
// method with which a client would put it, since kept state is shown to clients that validate.

import { jsonToLex } from '@atproto/lexicon'
import { isValidDid } from '@atproto/syntax'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { loadLexicons } from '../../../base/atproto/lexicons/lexicons.ts'
import { areValidParts, type FeatureParts } from './feature-parts.ts'

const FORMAT = 'slipstream-member-state'
const FORMAT_VERSION = 1

type Timed = { createdAt?: string }

export type MemberState = {
  format: typeof FORMAT
  version: typeof FORMAT_VERSION
  did: string
  mutes: ({ did: string; onlyReposts?: boolean; onlyQuoteposts?: boolean } & Timed)[]
  /** `list` and `root` are at-URIs with a DID. */
  listMutes: ({ list: string } & Timed)[]
  threadMutes: ({ root: string } & Timed)[]
  bookmarks: ({ uri: string; cid: string } & Timed)[]
  /** As in app.bsky.draft.defs#draftView. */
  drafts: ({ id: string; draft: unknown; updatedAt?: string } & Timed)[]
  activitySubscriptions: ({ did: string; post: boolean; reply: boolean } & Timed)[]
  notifications: {
    /** In the form that app.bsky.notification.putPreferencesV2 takes. */
    preferences?: Record<string, unknown>
    priority?: boolean
    seenAt?: string
  }
  /** app.bsky.actor.defs#preferences; absent if they are kept elsewhere. */
  preferences?: unknown[]
  /** What optional parts of the server keep, each under its name; absent if they keep nothing. */
  features?: FeatureParts
}

export function emptyState(did: string): MemberState {
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    did,
    mutes: [],
    listMutes: [],
    threadMutes: [],
    bookmarks: [],
    drafts: [],
    activitySubscriptions: [],
    notifications: {},
  }
}

/** @throws Error with a message for the person who runs the script */
export function parseState(json: string): MemberState {
  const state = JSON.parse(json) as MemberState
  if (state?.format !== FORMAT) throw new Error('this is no document of a member’s state')
  if (state.version !== FORMAT_VERSION) {
    throw new Error(`version ${state.version} of the document is not known here`)
  }
  check(isValidDid(state.did), 'did', state.did)
  each(state, 'mutes', ({ did, createdAt: _, ...scope }) => {
    return isValidDid(did) && isInput('app.bsky.graph.muteActor', { actor: did, ...scope })
  })
  each(state, 'listMutes', ({ list }) => isRecord(list, 'app.bsky.graph.list'))
  each(state, 'threadMutes', ({ root }) => isRecord(root, 'app.bsky.feed.post'))
  each(state, 'bookmarks', ({ uri, cid }) => {
    const isPost = isRecord(uri, 'app.bsky.feed.post')
    return isPost && isInput('app.bsky.bookmark.createBookmark', { uri, cid })
  })
  each(state, 'drafts', ({ id, draft }) =>
    isInput('app.bsky.draft.updateDraft', { draft: { id, draft } }),
  )
  each(state, 'activitySubscriptions', ({ did, post, reply }) => {
    const input = { subject: did, activitySubscription: { post, reply } }
    return isInput('app.bsky.notification.putActivitySubscription', input)
  })
  const { preferences = [], notifications } = state
  const isPut = isInput('app.bsky.actor.putPreferences', { preferences })
  check(isPut, 'preferences', preferences)
  check(typeof notifications === 'object' && notifications !== null, 'notifications', notifications)
  timeOf(notifications.seenAt)
  const { features = {} } = state
  check(areValidParts(features), 'features', features)
  return state
}

/** Milliseconds; undefined if `text` is. */
export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  check(Number.isFinite(ms), 'time', text)
  return ms
}

type Lists = {
  [Name in keyof MemberState as MemberState[Name] extends { createdAt?: string }[]
    ? Name
    : never]: MemberState[Name]
}

function each<Name extends keyof Lists>(
  state: MemberState,
  name: Name,
  isGood: (memberState: MemberState[Name][number]) => boolean,
): void {
  const list: unknown = state[name]
  check(Array.isArray(list), name, list)
  for (const item of list as MemberState[Name]) {
    check(typeof item === 'object' && item !== null && isGood(item), name, item)
    timeOf(item.createdAt)
  }
}

function isRecord(uri: unknown, collection: string): boolean {
  return parseRecordUri(uri)?.collection === collection
}

/** Absent properties may be present as undefined. */
function isInput(nsid: string, input: object): boolean {
  try {
    loadLexicons().assertValidXrpcInput(nsid, jsonToLex(JSON.parse(JSON.stringify(input))))
    return true
  } catch {
    return false
  }
}

function check(isGood: boolean, what: string, value: unknown): void {
  if (!isGood) throw new Error(`the document has bad ${what}: ${JSON.stringify(value)}`)
}
