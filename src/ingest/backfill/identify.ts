// Who an account is: its DID document says where its PDS stands and which handle it claims, and the
// handle's own answer must name the account back before we show it.

import { HOUR_MS } from '../../base/util/durations.ts'
import { unlessAborted } from '../../base/util/waits.ts'
import { findActor, forgetActorIdentity, setActorIdentity } from '../../data/store/actors.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { insertAccountGap } from '../../data/store/gaps.ts'
import { enqueueJobAgain, type Job } from '../../data/store/jobs.ts'
import { findProfile } from '../../data/store/profiles.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import { IdentityUnavailableError } from '../../sources/identity/fetch-identity.ts'
import type { ResolveOptions } from '../../sources/identity/resolver.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import type { Services } from './work.ts'

/** Whoever the directory does not know is not asked for by each of their jobs, but once for all of them. */
const ABSENT_FOR_MS = HOUR_MS / 2

type Account = { uid: number; did: string }

type LocateOptions = {
  forceRefresh?: boolean
  /** The account is known to be there, by its token for one: what the directory said before is asked again. */
  isThere?: boolean
}

/**
 * Where the account's repository is, from memory where it was asked lately; undefined where there is
 * none: the account is gone, or has no PDS.
 * @throws PdsError `unreachable` where nobody can say now.
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
  // Or its other jobs would go by what was stored.
  if (wasAbsent) services.commit(({ db }) => forgetActorIdentity(db, uid))
  return { uid, did, pds: identity.pds }
}

function isKnownAbsent({ db, now }: Services, uid: number): boolean {
  const { pds, identity_checked_at: checkedAt } = findActor(db, uid) ?? {}
  if (pds !== null || checkedAt == null) return false
  const ageMs = now() - checkedAt
  return ageMs >= 0 && ageMs < ABSENT_FOR_MS
}

/** Who was known before is not forgotten for one such answer: the job `identity` judges that. */
function noteAbsent({ commit, db, now }: Services, uid: number): void {
  if (findActor(db, uid)?.pds !== null) return
  const absent = { handle: null, handleValid: false, pds: null, checkedAt: now() }
  commit((ctx) => setActorIdentity(ctx.db, uid, absent))
}

/**
 * Looks the account up, handle and all, and stores what was found.
 * @throws PdsError `unreachable` where nobody can say now who it is, or whether the handle holds;
 *   then what was found out is stored all the same.
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
  // What was remembered of the directory may be from before they were renamed, unless it was just asked.
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
    // Where nobody can say now whether a handle holds, what was known of the same handle stays.
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
    throw new PdsError('unreachable', `nobody can say now whether ${claimed} is ${did}`)
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

/** Between two servers, what was said may have reached nobody. */
function noteMove(
  db: WriteDb,
  { uid, since, now }: { uid: number; since: number | null; now: number },
): void {
  // Where an event told of the move, nothing says since when: an hour before it is a guess.
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
 * An account of which nothing came and that its PDS knows nothing of is not shown as somebody without a
 * name: it went before we heard of it. Should the PDS be mistaken, the account's next event shows it.
 */
export function stateOfUnknown(db: Db, { kind, subject }: Job): 'deactivated' | undefined {
  return kind === 'profile' && !findProfile(db, subject) ? 'deactivated' : undefined
}
