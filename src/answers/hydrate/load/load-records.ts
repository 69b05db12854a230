// Loads feed generators, starter packs and labelers by at-URI.

import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import { packRkey, unpackCid } from '../../../base/atproto/keys.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import type { RecordRow } from '../../../data/store/read/records/records.ts'
import type { RecordKey } from '../../../data/store/records/records.ts'
import type { RecordOptions } from '../hydrator-types.ts'
import { emptyProfileState, type Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundGenerator, isSoundLabeler, isSoundStarterPack } from '../shapes/record-shapes.ts'
import type { Check } from '../shapes/shape.ts'
import type { PackContent, PresentedCollection, StoredRecord } from '../stored-records.ts'
import type { ProfileState } from '../types.ts'
import { loadAccounts, loadLists } from './load-accounts.ts'
import { loadBlocks } from './load-blocks.ts'

const LIKE = 'app.bsky.feed.like'
const LIST = 'app.bsky.graph.list'
const LIST_ITEM = 'app.bsky.graph.listitem'
const GENERATOR = 'app.bsky.feed.generator'
const PACK = 'app.bsky.graph.starterpack'
const WEEK_MS = 7 * DAY_MS
/**
 * As in the reference: the members shown are those with most followers among this many newest ones.
 */
const NEWEST_MEMBERS = 50
const SAMPLED_MEMBERS = 12

const checks: Record<PresentedCollection, Check> = {
  'app.bsky.feed.generator': isSoundGenerator,
  'app.bsky.graph.starterpack': isSoundStarterPack,
  'app.bsky.labeler.service': isSoundLabeler,
}
const names = new Map(
  (Object.keys(checks) as PresentedCollection[]).map((name) => [
    collectionCodes[name] as number,
    name,
  ]),
)

/** Loads these records with their creators. */
export function loadRecordsOnly(
  loader: Loader,
  uris: readonly string[],
  reader: Reader,
  { content = false, alsoProfile = 0 }: RecordOptions = {},
): ProfileState {
  const state = emptyProfileState(reader, loader.context.urls)
  addRecords(loader, state, uris)
  if (content) addContents(loader, state)
  const uids = new Set([...state.records.values()].map(({ uid }) => uid))
  uids.add(alsoProfile)
  for (const { sample } of state.packs.values()) for (const { subject } of sample) uids.add(subject)
  loadAccounts(loader, state, uids)
  const lists = [...state.packs.values()].flatMap(({ list }) => (list ? [list] : []))
  loadLists(loader, state, new Set(lists))
  return state
}

/** Fills `records` and `joins`; the caller loads the creators. */
export function addRecords(loader: Loader, state: ProfileState, uris: Iterable<string>): void {
  const keys = [...new Set(uris)].flatMap((uri) => keyOf(loader, uri))
  if (keys.length === 0) return
  const { records } = loader.readers
  const rows = records.byKey(keys)
  const viewer = state.viewer?.uid ? state.viewer : undefined
  const ids = rows.map(({ id }) => id)
  const likes = new Map(
    (viewer ? records.likesBy(viewer.uid, ids) : []).map(({ id, rkey }) => [
      id,
      recordUri(viewer!.did, LIKE, rkey),
    ]),
  )
  for (const row of rows) {
    const held = toHeld(loader, row, likes.get(row.id))
    if (held) state.records.set(held.uri, held)
  }
  addJoins(loader, state)
}

function keyOf(loader: Loader, uri: string): RecordKey[] {
  const key = parseRecordUri(uri)
  const uid = key ? loader.context.actors.uidOf(key.did) : 0
  if (!key || uid === 0 || !Object.hasOwn(checks, key.collection)) return []
  const collection = collectionCodes[key.collection as PresentedCollection]
  return [{ uid, collection, rkey: packRkey(key.rkey) }]
}

function toHeld(
  loader: Loader,
  row: RecordRow,
  like: string | undefined,
): StoredRecord | undefined {
  const collection = names.get(row.collection)!
  const record = parseRecord<object>(row.record, {
    kind: collection,
    isSound: checks[collection],
    onUnusable: loader.onUnusable,
  })
  if (!record) return undefined
  const uri = recordUri(loader.context.actors.didOf(row.uid), collection, row.rkey)
  const { id, uid, sortAt, likes: likeCount } = row
  const held = {
    collection,
    id,
    uid,
    uri,
    cid: unpackCid(row.cid),
    record,
    sortAt,
    likeCount,
    like,
  }
  return held as StoredRecord
}

function addJoins({ readers }: Loader, state: ProfileState): void {
  const packs = [...state.records.values()].filter(({ collection }) => collection === PACK)
  const uris = packs.map(({ uri }) => uri).filter((uri) => !state.joins.has(uri))
  if (uris.length === 0) return
  for (const row of readers.records.joinsThrough(uris, state.now - WEEK_MS)) {
    state.joins.set(row.uri, { allTime: row.allTime, week: row.recent })
  }
}

/** Loads the feeds and lists of the starter packs in the state, and the members of the lists. */
function addContents(loader: Loader, state: ProfileState): void {
  const packs = [...state.records.values()].filter((record) => record.collection === PACK)
  const feeds = packs.flatMap(({ record }) => (record.feeds ?? []).map(({ uri }) => uri))
  addRecords(
    loader,
    state,
    feeds.filter((uri) => parseRecordUri(uri)?.collection === GENERATOR),
  )
  const lists = listsByUri(
    loader,
    packs.map(({ record }) => record.list),
  )
  const samples = samplesOf(loader, state, lists)
  for (const { uri, record } of packs) {
    const list = lists.get(record.list)
    state.packs.set(uri, { list: list?.id, sample: samples.get(list?.id ?? 0) ?? [] })
  }
}

type ListAt = { id: number; uid: number }

function listsByUri(loader: Loader, uris: readonly string[]): Map<string, ListAt> {
  const { actors } = loader.context
  const keys = [...new Set(uris)].flatMap((uri) => {
    const key = parseRecordUri(uri)
    const uid = key?.collection === LIST ? actors.uidOf(key.did) : 0
    return uid === 0 ? [] : [{ uid, rkey: packRkey(key!.rkey) }]
  })
  if (keys.length === 0) return new Map()
  const rows = loader.readers.packs.listsByKey(keys)
  return new Map(
    rows.map(({ id, uid, rkey }) => [recordUri(actors.didOf(uid), LIST, rkey), { id, uid }]),
  )
}

/**
 * Samples of list members, by lists.id. Omits members who opted out or have a block with the list's
 * creator, unless the viewer is the creator.
 */
function samplesOf(
  loader: Loader,
  state: ProfileState,
  lists: Map<string, ListAt>,
): Map<number, PackContent['sample']> {
  const creators = new Map([...lists.values()].map(({ id, uid }) => [id, uid]))
  const samples = new Map<number, PackContent['sample']>()
  const { readers, context } = loader
  if (creators.size === 0) return samples
  const rows = readers.packs.membersOf(creators.keys(), NEWEST_MEMBERS)
  const pairs = rows.map(({ list, subject }) => [creators.get(list)!, subject] as const)
  const blocks = loadBlocks(loader, pairs, state)
  const optedOut = optedOutOf(loader, rows)
  for (const { list, rkey, subject } of rows) {
    const creator = creators.get(list)!
    const sample = samples.get(list) ?? []
    samples.set(list, sample)
    const isOptedOut = optedOut.get(list)?.has(subject) ?? false
    const isOwn = creator === state.viewer?.uid
    const isVisible = isOwn || !(blocks.has(creator, subject) || isOptedOut)
    if (!isVisible || sample.length >= SAMPLED_MEMBERS) continue
    sample.push({
      uri: recordUri(context.actors.didOf(creator), LIST_ITEM, rkey),
      subject,
      isOptedOut,
    })
  }
  return samples
}

/** Members who opted out, by lists.id. */
function optedOutOf(
  { optOuts }: Loader,
  rows: readonly { list: number; subject: number }[],
): Map<number, Set<number>> {
  const subjects = Map.groupBy(rows, ({ list }) => list)
  return new Map(
    [...subjects].map(([list, some]) => {
      const scope = optOuts.scopeOf(list)
      const uids = some.map(({ subject }) => subject)
      return [list, scope ? optOuts.among(scope, uids) : new Set<number>()]
    }),
  )
}

/** The account's items on the lists of these starter packs: at-URIs, keyed by the pack's at-URI. */
export function membershipsOf(
  loader: Loader,
  { packs, records }: ProfileState,
  subject: number,
): Map<string, string> {
  const lists = [...packs.values()].flatMap(({ list }) => (list ? [list] : []))
  const { actors } = loader.context
  const items = new Map(
    loader.readers.packs.itemsOf(new Set(lists), subject).map(({ list, rkey }) => [list, rkey]),
  )
  const found = new Map<string, string>()
  for (const [uri, { list }] of packs) {
    const rkey = items.get(list ?? 0)
    const uid = records.get(uri)?.uid
    if (rkey !== undefined && uid) found.set(uri, recordUri(actors.didOf(uid), LIST_ITEM, rkey))
  }
  return found
}
