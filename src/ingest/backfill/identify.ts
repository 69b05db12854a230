// Establishes an account's identity: its DID document names its PDS and the handle it claims, and the handle
// must resolve back to the account before we show it.

import { HOUR_MS } from '../../base/util/durations.ts'
import { unlessAborted } from '../../base/util/waits.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { enqueueJobAgain, type Job } from '../../data/store/fetching/jobs.ts'
import {
  findActor,
  forgetActorIdentity,
  setActorIdentity,
} from '../../data/store/records/actors.ts'
import { findProfile } from '../../data/store/records/profiles.ts'
import { insertAccountGap } from '../../data/store/stream/gaps.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import { IdentityUnavailableError } from '../../sources/identity/fetch-identity.ts'
import type { ResolveOptions } from '../../sources/identity/resolver.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import type { Services } from './work.ts'

/**
 * How long an account unknown to the directory is not looked up again, so that its jobs don't each
 * ask.
 */
const ABSENT_FOR_MS = HOUR_MS / 2

type Account = { uid: number; did: string }

type LocateOptions = {
  forceRefresh?: boolean
  /** The account is known to exist, for instance by its token: asks the directory again. */
  isThere?: boolean
}

/**
 * Locates the account's repository, from memory if it was looked up lately; undefined if there is
 * none: the account is gone, or has no PDS.
 * @throws PdsError `unreachable` if it can't be determined now
 */
export async function locate(
  services: Services,
  account: Account,
  { forceRefresh = false, isThere = false }: LocateOptions = {},
): Promise<RepoTarget | undefined> {
  const { uid, did } = account
  const wasAbsent = isKnownAbsent(services, uid)
  if (wasAbsent && !forceRefresh && !isThere) return undefined
  const identity = await resolve(services, did, { forceRefresh: forceRefresh || wasAbsent })
  if (!identity) noteAbsent(services, uid)
  if (identity?.pds === undefined) return undefined
  // Otherwise the account's other jobs would go by the stored answer.
  if (wasAbsent) services.commit(({ db }) => forgetActorIdentity(db, uid))
  return { uid, did, pds: identity.pds }
}

function isKnownAbsent({ db, now }: Services, uid: number): boolean {
  const { pds, identity_checked_at: checkedAt } = findActor(db, uid) ?? {}
  if (pds !== null || checkedAt == null) return false
  const ageMs = now() - checkedAt
  return ageMs >= 0 && ageMs < ABSENT_FOR_MS
}

/** One such answer does not make us forget a known account: the job `identity` decides that. */
function noteAbsent({ commit, db, now }: Services, uid: number): void {
  if (findActor(db, uid)?.pds !== null) return
  const absent = { handle: null, handleValid: false, pds: null, checkedAt: now() }
  commit((ctx) => setActorIdentity(ctx.db, uid, absent))
}

/**
 * Looks up the account with its handle, and stores the result.
 * @throws PdsError `unreachable` if the account or its handle can't be checked now; any result so
 * far is still stored
 */
export async function identify(services: Services, account: Account): Promise<void> {
  const { uid, did } = account
  const { commit, db, now } = services
  if (isKnownAbsent(services, uid)) return
  const before = findActor(db, uid)
  const isForgotten = before?.identity_checked_at === null && before.pds !== null
  let { identity, verdict } = await lookUp(services, did, {
    forceRefresh: isForgotten,
    isFreshOnly: true,
  })
  // The cached document may predate a rename, unless it was just fetched.
  if (identity && verdict === false && !isForgotten) {
    ;({ identity, verdict } = await lookUp(services, did, {
      forceRefresh: true,
      isFreshOnly: true,
    }))
  }
  const claimed = identity?.handle
  const wasValid = before?.handle === claimed && before?.handle_valid === 1
  const found = {
    handle: claimed ?? null,
    // If the handle can't be checked now, the earlier verdict on the same handle stays.
    handleValid: verdict ?? wasValid,
    pds: identity?.pds ?? null,
    checkedAt: now(),
  }
  const hasMoved = before?.pds != null && found.pds !== null && before.pds !== found.pds
  commit((ctx) => {
    setActorIdentity(ctx.db, uid, found)
    if (hasMoved) noteMove(ctx.db, { uid, since: before.identity_checked_at, now: found.checkedAt })
  })
  if (verdict === undefined) {
    throw new PdsError('unreachable', `can’t tell now whether ${claimed} is ${did}`)
  }
}

async function lookUp(
  services: Services,
  did: string,
  options: ResolveOptions,
): Promise<{ identity: Identity | undefined; verdict: boolean | undefined }> {
  const { handles, resolver, signal } = services
  const identity = await resolve(services, did, options)
  const handle = identity?.handle
  if (handle === undefined) return { identity, verdict: false }
  const work = () => unlessAborted(resolver.verifyHandle(did, handle), signal, stopped)
  return { identity, verdict: await handles.take(handle, work) }
}

/** Events may have been lost while the account moved between two servers. */
function noteMove(
  db: WriteDb,
  { uid, since, now }: { uid: number; since: number | null; now: number },
): void {
  // If an event announced the move, its time is unknown: an hour before is a guess.
  const fromUs = ((since ?? now) - HOUR_MS) * 1000
  insertAccountGap(db, { uid, cause: 'moved', fromUs, toUs: now * 1000 }, now)
  enqueueJobAgain(db, 'repo', uid)
}

async function resolve(
  { resolver, signal }: Services,
  did: string,
  options: ResolveOptions,
): Promise<Identity | undefined> {
  try {
    return await unlessAborted(resolver.resolve(did, options), signal, stopped)
  } catch (error) {
    if (!(error instanceof IdentityUnavailableError)) throw error
    throw new PdsError('unreachable', error.message, { cause: error })
  }
}

const stopped = () => new PdsError('stopped', 'stopped while looking up an account')

/**
 * An account without any records that its PDS does not know is not shown as an account without a
 * name: it went before we heard of it. If the PDS is mistaken, the account's next event shows it.
 */
export function stateOfUnknown(db: Db, { kind, subject }: Job): 'deactivated' | undefined {
  return kind === 'profile' && !findProfile(db, subject) ? 'deactivated' : undefined
}
