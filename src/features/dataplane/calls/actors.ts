// Accounts: profiles with their attached records, handles, counts, and the latest rev read of each
// repository.

import { Code, ConnectError } from '@connectrpc/connect'
import { collectionCodes } from '../../../base/atproto/collections.ts'
import { unpackCid, unpackRkey } from '../../../base/atproto/keys.ts'
import { DAY_MS } from '../../../base/util/durations.ts'
import { statusesBeneath } from '../../../data/store/moderation/takedowns.ts'
import { prioritizing } from '../../../data/store/notifications/notification-settings.ts'
import { draftCounts } from '../../../data/store/private/drafts.ts'
import type { ActorRow } from '../../../data/store/read/accounts/actors.ts'
import type { RecordRow, VerificationRow } from '../../../data/store/read/records/records.ts'
import { ACTIVE, isHiddenStatus, statusCode, statusOf } from '../../../data/store/records/status.ts'
import type { Identity } from '../../../sources/identity/did-document.ts'
import { ActorInfoSchema } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { recalledByPosition } from '../reading/recent.ts'
import { ageAssuranceOf } from '../store/age-assurance.ts'
import { answerOf, type EncodedRpcs, encode, joined } from '../wire/encoded.ts'
import { bounded, type RecordInit, type Rpcs, timestamp, toRecord } from '../wire/messages.ts'
import { createHidden } from './moderation.ts'
import { profileRecords } from './records.ts'
import { forSlices } from './slices.ts'

const WEEK_MS = 7 * DAY_MS
const SUBSCRIBERS = ['followers', 'mutuals', 'none'] as const
/** Maximum handles per call that are resolved over the network. */
const MAX_LOOKED_UP = 25

/** An account's self-descriptions besides its profile, by collection. */
type Own = Map<number, RecordRow>

const NOBODY = encode(ActorInfoSchema, {
  exists: false,
  allowActivitySubscriptionsFrom: 'followers',
})
const OF_UNKNOWN_AGE = encode(ActorInfoSchema, {
  ageAssuranceStatus: { status: 'unknown', access: 'unknown' },
})
/** Access implied by a status for which no access is recorded. */
const ACCESS: globalThis.Record<string, string> = { assured: 'full', blocked: 'none' }

/** GetActors, with encoded answers. */
export function actorInfoRpcs(reading: Reading): EncodedRpcs {
  const hidden = createHidden(reading)
  return {
    getActors({ dids, returnAgeAssuranceForDids }) {
      const uids = bounded(dids).map((did) => reading.actors.uidOf(did))
      const takedowns = hidden.refs(dids)
      const infos = encodedActors(reading, uids)
      const actors =
        takedowns.size > 0 ? withHidden(reading, { dids, uids, infos, takedowns }) : infos
      const aged = new Set(returnAgeAssuranceForDids)
      const added = [hidden.tagsOfActors(dids), hidden.hiddenOfActors(dids)]
      if (aged.size === 0 && added.every(({ length }) => length === 0))
        return answerOf({ 1: actors })
      const complete = added.reduce<readonly Uint8Array[]>(withAdded, actors)
      const isAged = (_: unknown, i: number) => aged.has(dids[i]!)
      const ages = agesOf(reading, uids.filter(isAged))
      return answerOf({
        1: complete.map((bytes, i) =>
          isAged(bytes, i) ? joined(bytes, ages.get(uids[i]!) ?? OF_UNKNOWN_AGE) : bytes,
        ),
      })
    },
  }
}

/** Adds encoded fields to each message. Protobuf merges concatenated messages into one. */
function withAdded(
  infos: readonly Uint8Array[],
  added: readonly (Uint8Array | undefined)[],
): readonly Uint8Array[] {
  return infos.map((info, i) => (added[i] ? joined(info, added[i]) : info))
}

/** Age assurance by uid, as the reference reads it. */
function agesOf({ db }: Reading, uids: readonly number[]): Map<number, Uint8Array> {
  const rows = uids.length > 0 ? ageAssuranceOf(db, uids) : []
  return new Map(
    rows.map(({ uid, status, access, initiatedAt }) => {
      const isKnown = access !== null && access !== 'unknown'
      const ageAssuranceStatus = {
        status,
        access: isKnown ? access : (ACCESS[status] ?? 'unknown'),
        ...(initiatedAt !== null && { lastInitiatedAt: timestamp(initiatedAt) }),
      }
      return [uid, encode(ActorInfoSchema, { ageAssuranceStatus })]
    }),
  )
}

/** Fills in accounts that the operator hid, if they are known here. */
function withHidden(
  reading: Reading,
  {
    dids,
    uids,
    infos,
    takedowns,
  }: {
    dids: string[]
    uids: number[]
    infos: Uint8Array[]
    takedowns: ReadonlyMap<string, string>
  },
): Uint8Array[] {
  const hidden = uids.filter((_, i) => takedowns.has(dids[i]!))
  const facts = readActors(reading, hidden)
  const beneath = statusesBeneath(reading.db, hidden)
  return infos.map((bytes, i) => {
    const [uid, ref] = [uids[i]!, takedowns.get(dids[i]!)]
    const info = ref === undefined ? undefined : facts.of(uid)
    return info ? encode(ActorInfoSchema, { ...info, ...hiddenAs(beneath.get(uid), ref!) }) : bytes
  })
}

/** In the order of `uids`; 0 is an unknown account. */
function encodedActors(reading: Reading, uids: readonly number[]): Uint8Array[] {
  const { memory } = reading
  const found = recalledByPosition(uids, {
    cached: (uid) => (uid === 0 ? NOBODY : memory.actors.get(uid)),
    read(unknown): [number, Uint8Array][] {
      const facts = readActors(reading, unknown)
      return unknown.flatMap((uid) => {
        const info = facts.of(uid)
        if (!info) return []
        const encoded = encode(ActorInfoSchema, info)
        memory.actors.set(uid, encoded)
        return [[uid, encoded]]
      })
    },
  })
  return found.map((bytes) => bytes ?? NOBODY)
}

export function actorRpcs(reading: Reading): Rpcs {
  return {
    async getDidsByHandles({ handles, lookupUnidirectional }) {
      const known: string[] = []
      await forSlices(bounded(handles), (some) => {
        const uids = reading.accounts.uidsOfHandles(some)
        known.push(...uids.map((uid) => (uid === 0 ? '' : reading.actors.didOf(uid))))
      })
      if (!lookupUnidirectional) return { dids: known }
      const unknown = handles.filter((_, i) => known[i] === '').slice(0, MAX_LOOKED_UP)
      const found = await lookUp(reading, unknown, { isAlone: handles.length === 1 })
      return { dids: known.map((did, i) => did || (found.get(handles[i]!) ?? '')) }
    },

    getCountsForUsers: ({ dids }) => countsOf(reading, bounded(dids)),

    getStarterPackCounts({ refs }) {
      const uris = bounded(refs).map(({ uri }) => uri)
      const joins = new Map(
        reading.records.joinsThrough(uris, Date.now() - WEEK_MS).map((row) => [row.uri, row]),
      )
      return {
        joinedWeek: uris.map((uri) => joins.get(uri)?.recent ?? 0),
        joinedAllTime: uris.map((uri) => joins.get(uri)?.allTime ?? 0),
      }
    },

    getLatestRev({ actorDid }) {
      const uid = reading.actors.uidOf(actorDid)
      return { rev: (uid !== 0 && reading.accounts.revOf(uid)) || '' }
    },

    getIdentityByDid: async ({ did }) => identityOf(await resolved(reading, did)),

    async getIdentityByHandle({ handle }) {
      const uid = reading.accounts.uidOfHandle(handle)
      const known = uid === 0 ? undefined : reading.actors.didOf(uid)
      const did = known ?? (await reading.resolver.resolveHandle(handle).catch(unavailable))
      const identity = did === undefined ? undefined : await resolved(reading, did)
      return identityOf(identity)
    },
  }
}

async function resolved({ resolver }: Reading, did: string): Promise<Identity | undefined> {
  return resolver.resolve(did).catch(unavailable)
}

/** Reports a failing directory as Unavailable, so that the frontend may ask another dataplane. */
function unavailable(error: unknown): never {
  throw new ConnectError((error as Error).message, Code.Unavailable)
}

/** Follows the reference: names without their `#`, and values as Go writes them. */
function identityOf(identity: Identity | undefined) {
  if (!identity) throw new ConnectError('identity not found', Code.NotFound)
  const { did, handle, keys, services } = identity
  const methods = keys.map(({ id, type, multibase }) => [
    id.slice(1),
    { Type: type, PublicKeyMultibase: multibase },
  ])
  const endpoints = services.map(({ id, type, endpoint }) => [
    id.slice(1),
    { Type: type, URL: endpoint },
  ])
  return {
    did,
    handle: handle ?? '',
    keys: Buffer.from(JSON.stringify(Object.fromEntries(methods))),
    services: Buffer.from(JSON.stringify(Object.fromEntries(endpoints))),
    updated: timestamp(Date.now()),
  }
}

/**
 * @param how - `isAlone`: the frontend asks who has this handle; if its servers do not answer, nobody can say. Of
 *   several, those that can be told are
 */
async function lookUp(
  { resolver }: Reading,
  handles: string[],
  { isAlone }: { isAlone: boolean },
): Promise<Map<string, string>> {
  const found = await Promise.all(
    handles.map(async (handle) => {
      const did = await resolver
        .resolveHandle(handle)
        .catch(isAlone ? unavailable : () => undefined)
      return did === undefined ? [] : [[handle, did] as const]
    }),
  )
  return new Map(found.flat())
}

function readActors(reading: Reading, uids: readonly number[]) {
  const { actors, config, db, profiles, records } = reading
  const rows = new Map(profiles.rows(uids).map((row) => [row[0], row]))
  const profileOf = profileRecords(profiles, uids)
  const own = ownOf(records.ownOf(uids))
  const priority = new Set(prioritizing(db, uids))
  const verifiers = new Set(config.trustedVerifiers)
  const issuers = config.trustedVerifiers.map((did) => actors.uidOf(did)).filter((uid) => uid > 0)
  const verifications = Map.groupBy(
    records.verificationsOf(uids, issuers),
    ({ subject }) => subject,
  )
  return {
    /** undefined: no such account. */
    of(uid: number) {
      const row = rows.get(uid)
      if (!row) return undefined
      const createdAt = profileOf.get(uid)?.createdAt
      return {
        ...accountOf(row, own.get(uid)),
        profile: profileOf.get(uid) ?? NULL_RECORD,
        ...(createdAt && { createdAt }),
        priorityNotifications: priority.has(uid),
        trustedVerifier: verifiers.has(actors.didOf(uid)),
        verifiedBy: verifiedBy((value) => actors.didOf(value), verifications.get(uid) ?? []),
      }
    },
  }
}

/** Marks an account as hidden by the operator, keeping the status set by its own server. */
function hiddenAs(beneath: number | undefined, takedownRef: string) {
  const own = statusOf(beneath ?? ACTIVE)
  return { takenDown: true, takedownRef, upstreamStatus: upstreamStatus(own) }
}

const NULL_RECORD: RecordInit = { record: Buffer.from('null') }

function ownOf(rows: readonly RecordRow[]): Map<number, Own> {
  const byAccount = new Map<number, Own>()
  for (const row of rows) {
    const own: Own = byAccount.get(row.uid) ?? new Map()
    byAccount.set(row.uid, own.set(row.collection, row))
  }
  return byAccount
}

function accountOf([, handle, isValid, status]: ActorRow, own: Own | undefined) {
  const row = (name: keyof typeof collectionCodes) => own?.get(collectionCodes[name])
  const chat = declared(row('chat.bsky.actor.declaration'))
  const { allowSubscriptions } = declared(row('app.bsky.notification.declaration'))
  const state = statusOf(status)
  return {
    exists: state !== 'deleted',
    handle: handle !== null && isValid === 1 ? handle : '',
    upstreamStatus: upstreamStatus(state),
    labeler: row('app.bsky.labeler.service') !== undefined,
    allowIncomingChatsFrom: stringOf(chat['allowIncoming']),
    allowGroupChatInvitesFrom: stringOf(chat['allowGroupInvites']),
    allowActivitySubscriptionsFrom:
      SUBSCRIBERS.find((item) => item === allowSubscriptions) ?? 'followers',
    statusRecord: recordOf(row('app.bsky.actor.status')),
    germRecord: recordOf(row('com.germnetwork.declaration')),
  }
}

/** Empty for visible accounts. */
function upstreamStatus(state: ReturnType<typeof statusOf>): string {
  return state === undefined || !isHiddenStatus(statusCode(state)) ? '' : state
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function recordOf(row: RecordRow | undefined): RecordInit {
  if (!row) return NULL_RECORD
  return toRecord({ json: row.record, cid: unpackCid(row.cid), sortAt: row.sortAt })
}

function declared(row: RecordRow | undefined): globalThis.Record<string, unknown> {
  return row ? JSON.parse(row.record) : {}
}

function verifiedBy(didOf: (uid: number) => string, rows: readonly VerificationRow[]) {
  const entries = rows.map(({ issuer, rkey, record, sortAt }) => {
    const { handle, displayName } = JSON.parse(record)
    const meta = { handle: stringOf(handle), displayName: stringOf(displayName) }
    return [didOf(issuer), { rkey: unpackRkey(rkey), ...meta, sortedAt: timestamp(sortAt) }]
  })
  return Object.fromEntries(entries)
}

function countsOf({ actors, db, profiles, lists, records }: Reading, dids: readonly string[]) {
  const uids = dids.map((did) => actors.uidOf(did))
  const known = new Set(uids)
  known.delete(0)
  const rows = new Map(profiles.rows(known).map((row) => [row[0], row]))
  const listed = new Map(lists.countsOf(known).map(({ uid, count }) => [uid, count]))
  const made = new Map(
    records.countsOf(known).map(({ uid, collection, count }) => [`${uid} ${collection}`, count]),
  )
  const drafts = draftCounts(db, known)
  const columns = (i: 4 | 5 | 6) => uids.map((uid) => rows.get(uid)?.[i] ?? 0)
  const recordsOf = (name: keyof typeof collectionCodes) =>
    uids.map((uid) => made.get(`${uid} ${collectionCodes[name]}`) ?? 0)
  return {
    following: columns(4),
    followers: columns(5),
    posts: columns(6),
    lists: uids.map((uid) => listed.get(uid) ?? 0),
    feeds: recordsOf('app.bsky.feed.generator'),
    starterPacks: recordsOf('app.bsky.graph.starterpack'),
    drafts: uids.map((uid) => drafts.get(uid) ?? 0),
  }
}
