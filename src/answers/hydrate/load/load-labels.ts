// Loads the labels on everything in a state, and applies the takedowns among them. As in the reference, a
// takedown counts if its labeler may redact (`;redact`). On an account, it has the effect of an account
// takedown; on a record, it hides the record as if it were not indexed. On a profile record, the label is
// only shown.

import type { ComAtprotoLabelDefs } from '@atproto/api'
import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { type Collection, collectionCodes, collections } from '../../../base/atproto/collections.ts'
import { packRkey } from '../../../base/atproto/keys.ts'
import type { Labelers } from '../../../base/atproto/labelers.ts'
import { isoTime } from '../../../base/util/iso-time.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { LabelSubject } from '../../../data/store/moderation/labels.ts'
import type { LabelFilter, StoredLabel } from '../../../data/store/read/moderation/labels.ts'
import type { Hydrator } from '../hydrator-types.ts'
import type { Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { FeedState, Labelled, ProfileState, SubjectLabels } from '../types.ts'
import { hideAssociated, withoutLists } from './hide-taken-down.ts'

type Label = ComAtprotoLabelDefs.Label

const PROFILE = 'app.bsky.actor.profile'
const TAKEDOWNS = new Set(['!takedown', '!suspend'])
/** Acted upon, and then not shown, if its labeler may redact. */
const NEEDS_REVIEW = 'needs-review'
const IMPERSONATION = 'impersonation'

const names = new Map(collections.map((name) => [collectionCodes[name] as number, name]))

/** Fills `labels`, and hides what was taken down. @returns the state. */
export function withLabelsLoaded<State extends ProfileState>(loader: Loader, state: State): State {
  const { labelers } = state
  if (labelers.dids.length === 0) return state
  askFor(loader, state, labelers)
  const by = filterOf(loader, labelers, state.now)
  if (by.labelers.length === 0) return state
  for (const label of readLabels(loader, state, by)) {
    addLabel(loader, state.labels, { label, labelers })
  }
  if (state.labels.size > 0 && !state.seesTakenDown) hideTakenDown(loader, state)
  return state
}

/** Loads the labels on these accounts and posts; most have none. */
export function loadLabelled(
  loader: Loader,
  { accounts, posts }: { accounts: readonly number[]; posts: readonly number[] },
  { viewer, labelers, now }: Reader,
): ReturnType<Hydrator['labelled']> {
  const { labels, posts: postReader } = loader.readers
  const { onLabelsRead, actors } = loader.context
  if (onLabelsRead && viewer) {
    const keys = posts.length > 0 ? postReader.keys(posts) : []
    const uris = keys.map(({ uid, rkey }) => recordUri(actors.didOf(uid), POST, rkey))
    onLabelsRead(viewer, labelers, [
      ...uris,
      ...cardSubjects(loader, posts),
      ...subjectsOf(accounts.map((uid) => actors.didOf(uid))),
    ])
  }
  const by = filterOf(loader, labelers, now)
  const found = { accounts: new Map<number, Labelled>(), posts: new Map<number, Labelled>() }
  if (by.labelers.length === 0) return found
  const labelledAccounts = accounts.length > 0 ? labels.labelledAccounts(accounts, by) : []
  const labelledPosts = posts.length > 0 ? labels.labelledPosts(posts, by) : []
  const rows = [
    ...(labelledAccounts.length > 0 ? labels.ofAccounts(labelledAccounts, by) : []),
    ...(labelledPosts.length > 0 ? labels.ofPosts(labelledPosts, by) : []),
  ]
  const labelState: ProfileState['labels'] = new Map()
  for (const label of rows) addLabel(loader, labelState, { label, labelers })
  for (const uid of labelledAccounts) {
    found.accounts.set(uid, labelledAccount(labelState, actors.didOf(uid)))
  }
  for (const { id, uid, rkey } of labelledPosts.length > 0 ? postReader.keys(labelledPosts) : []) {
    found.posts.set(id, labelledSubject(labelState.get(recordUri(actors.didOf(uid), POST, rkey))))
  }
  return found
}

/**
 * Labels on the account and its profile. Labels on its status are not included, but count as acted
 * upon.
 */
function labelledAccount(labelState: ProfileState['labels'], did: string): Labelled {
  const [account, profile] = subjectsOf([did]).map((subject) =>
    labelledSubject(labelState.get(subject)),
  )
  return {
    labels: [...account!.labels, ...profile!.labels],
    isActedUpon:
      account!.isActedUpon ||
      profile!.isActedUpon ||
      labelState.has(recordUri(did, STATUS, 'self')),
  }
}

function labelledSubject(labelState: SubjectLabels | undefined): Labelled {
  if (!labelState) return { labels: [], isActedUpon: false }
  const { labels, isTakenDown, needsReview, isImpersonation } = labelState
  const isInvalidated = labels.some(({ val, exp }) => val.startsWith('!') || exp !== undefined)
  return { labels, isActedUpon: isTakenDown || needsReview || isImpersonation || isInvalidated }
}

const POST = 'app.bsky.feed.post'
const STATUS = 'app.bsky.actor.status'

/**
 * Loads labels by subject. Subjects hidden by the operator count as taken down, too.
 * @param subjects - DIDs and at-URIs
 */
export function loadSubjectLabels(
  loader: Loader,
  subjects: readonly string[],
  { labelers, now }: Reader,
): ProfileState['labels'] {
  const found: ProfileState['labels'] = new Map()
  const { takedowns } = loader.readers
  for (const subject of takedowns.isAny() ? takedowns.among(subjects) : []) {
    found.set(subject, { ...NOTHING, labels: [], isTakenDown: true })
  }
  const keys = subjectKeys(loader.context.actors, new Set(subjects))
  const by = filterOf(loader, labelers, now)
  if (keys.length === 0 || by.labelers.length === 0) return found
  for (const label of loader.readers.labels.ofSubjects(keys, by)) {
    addLabel(loader, found, { label, labelers })
  }
  return found
}

type NamedSubject = LabelSubject & { subject: string }

/**
 * Resolves subjects to accounts and records; skips unknown accounts and unsupported collections.
 */
export function subjectKeys(actors: ActorReader, subjects: Iterable<string>): NamedSubject[] {
  const keys: NamedSubject[] = []
  for (const subject of subjects) {
    const key = parseRecordUri(subject)
    const uid = actors.uidOf(key?.did ?? subject)
    const collection = key ? collectionCodes[key.collection as Collection] : 0
    if (uid === 0 || collection === undefined) continue
    keys.push({ subject, uid, collection, rkey: key ? packRkey(key.rkey) : '' })
  }
  return keys
}

function filterOf({ context }: Loader, { dids }: Labelers, now: number): LabelFilter {
  return { labelers: dids.map((did) => context.actors.uidOf(did)).filter((uid) => uid !== 0), now }
}

function readLabels(
  { readers, context }: Loader,
  state: ProfileState,
  by: LabelFilter,
): StoredLabel[] {
  const { labels } = readers
  const { posts } = state as Partial<FeedState>
  const keys = subjectKeys(context.actors, [...state.records.keys(), ...associatedIn(state)])
  const owners = [...state.lists.values()].map(({ uid }) => uid)
  const accounts = new Set([...state.actors.keys(), ...owners])
  return [
    ...(accounts.size > 0 ? labels.ofAccounts(accounts, by) : []),
    ...(posts && posts.size > 0 ? labels.ofPosts(posts.keys(), by) : []),
    ...(state.lists.size > 0 ? labels.ofLists(state.lists.keys(), by) : []),
    ...(keys.length > 0 ? labels.ofSubjects(keys, by) : []),
  ]
}

function addLabel(
  loader: Loader,
  labels: ProfileState['labels'],
  { label: row, labelers }: { label: StoredLabel; labelers: Labelers },
): void {
  const label = toLabel(loader, row)
  if (!label) return
  const of = labels.get(label.uri) ?? { ...NOTHING, labels: [] }
  labels.set(label.uri, of)
  const isRedacting = labelers.redact.has(label.src)
  if (!isRedacting || label.val !== NEEDS_REVIEW) of.labels.push(label)
  if (!isRedacting) return
  if (TAKEDOWNS.has(label.val)) of.isTakenDown = true
  if (label.val === NEEDS_REVIEW) of.needsReview = true
  if (label.val === IMPERSONATION) of.isImpersonation = true
}

const NOTHING: SubjectLabels = {
  labels: [],
  isTakenDown: false,
  needsReview: false,
  isImpersonation: false,
}

function toLabel({ context }: Loader, row: StoredLabel): Label | undefined {
  const did = context.actors.didOf(row.uid)
  const collection = names.get(row.collection)
  if (row.collection !== 0 && !collection) return undefined
  return {
    src: context.actors.didOf(row.src),
    uri: collection ? recordUri(did, collection, row.rkey) : did,
    cid: row.cid ?? undefined,
    val: row.val,
    cts: row.cts ?? isoTime(row.cts_ms),
    exp: row.exp_ms === null ? undefined : (row.exp ?? isoTime(row.exp_ms)),
  }
}

function hideTakenDown({ context }: Loader, state: ProfileState): void {
  const isTakenDown = (subject: string) => state.labels.get(subject)?.isTakenDown ?? false
  for (const [uid, actor] of state.actors) {
    if (!actor.hiddenAs && isTakenDown(actor.did)) {
      state.actors.set(uid, { ...actor, hiddenAs: 'takendown' })
    }
  }
  const { posts, takenDown } = state as Partial<FeedState>
  for (const [id, post] of posts ?? []) {
    if (!isTakenDown(post.uri)) continue
    posts?.delete(id)
    takenDown?.set(id, post)
  }
  const isOwnerTakenDown = (uid: number) => isTakenDown(context.actors.didOf(uid))
  const lists = new Set<number>()
  for (const [id, { uri, uid }] of state.lists) {
    if (isTakenDown(uri)) state.lists.delete(id)
    if (isTakenDown(uri) || isOwnerTakenDown(uid)) lists.add(id)
  }
  if (lists.size > 0) withoutLists(state, lists)
  for (const uri of state.records.keys()) if (isTakenDown(uri)) state.records.delete(uri)
  hideAssociated(state, isTakenDown)
}

/**
 * Has the labelers asked about subjects they were not asked about recently, for the next request.
 */
function askFor({ context }: Loader, state: ProfileState, labelers: Labelers): void {
  if (!context.onLabelsRead || !state.viewer) return
  const { posts } = state as Partial<FeedState>
  context.onLabelsRead(state.viewer, labelers, [
    ...subjectsOf([...state.actors.values()].map(({ did }) => did)),
    ...[...(posts?.values() ?? [])].map(({ uri }) => uri),
    ...[...state.lists.values()].map(({ uri }) => uri),
    ...state.records.keys(),
    ...associatedIn(state),
  ])
}

/** at-URIs, each once. */
function associatedIn(state: ProfileState): Set<string> {
  const { associated } = state as Partial<FeedState>
  return new Set([...(associated?.values() ?? [])].map(({ uri }) => uri))
}

/** at-URIs of what these posts' link cards show. */
function cardSubjects({ readers, context }: Loader, posts: readonly number[]): string[] {
  const cards = posts.length > 0 ? readers.associated.cardsOf(posts) : []
  return cards.flatMap(({ uid, collection, rkey }) => {
    const name = names.get(collection)
    return name ? [recordUri(context.actors.didOf(uid), name, rkey)] : []
  })
}

function subjectsOf(dids: readonly string[]): string[] {
  return dids.flatMap((did) => [did, `at://${did}/${PROFILE}/self`])
}
