// Members as an operator sees them: their account, when they joined and were last seen. Also resolves the
// operator's input to an account.

import { isValidDid, isValidHandle } from '@atproto/syntax'
import type { Config } from '../../base/config/config.ts'
import { isoTime } from '../../base/util/iso-time.ts'
import { keepShare } from '../../data/graph/lossiness.ts'
import type { Db } from '../../data/store/db.ts'
import {
  COLD_START,
  countLeftOut,
  countLeftOutAmong,
  findBackfill,
} from '../../data/store/fetching/backfills.ts'
import { countJobsAmong, isAnyJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { allMembers } from '../../data/store/members/members.ts'
import { createAccounts } from '../../data/store/read/accounts/accounts.ts'
import { findActor, followsCountOf } from '../../data/store/records/actors.ts'
import { followedBy } from '../../data/store/records/follows.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { accountIn } from './moderation-subject.ts'
import { OperatorError } from './operator-error.ts'

export type MemberLine = {
  did: string
  /** Only if verified. */
  handle: string | undefined
  joinedAt: string
  lastSeenAt: string | undefined
  follows: number
  /** Which share of their follows' posts their timeline takes: less than 1 beyond SLIPSTREAM_REASONABLE_LIMIT. */
  keepShare: number
  /** Whether their cold start has fetched everything that it fetches immediately. */
  isComplete: boolean
  /** Follows beyond what a cold start fetches immediately; these are fetched slowly. */
  later: number
  /**
   * At least how many of the follows' records exceeded a cold start's limit, and are fetched
   * slowly.
   */
  recordsLater: number
}

export function listMembers(
  db: Db,
  { reasonableLimit }: Pick<Config, 'reasonableLimit'>,
): MemberLine[] {
  const isAnyLater = isAnyJobWaiting(db, 'author')
  const isAnyLeftOut = countLeftOut(db) > 0
  return allMembers(db).map(({ uid, joined_at, last_seen_at }) => {
    const { did, handle, handle_valid } = findActor(db, uid)!
    const follows = followsCountOf(db, uid)
    return {
      did,
      handle: handle_valid === 1 && handle !== null ? handle : undefined,
      joinedAt: isoTime(joined_at),
      lastSeenAt: isoTime(last_seen_at),
      follows,
      keepShare: keepShare(reasonableLimit, follows),
      isComplete: findBackfill(db, uid, COLD_START) !== undefined,
      later: countJobsAmong(db, 'author', isAnyLater ? followedBy(db, uid) : []),
      recordsLater: countLeftOutAmong(db, isAnyLeftOut ? followedBy(db, uid) : []),
    }
  })
}

export type Account = { did: string; handle: string | undefined }

/** Finds an account by verified handle in our own index. */
export function accountKnownAs(db: Db, handle: string): string | undefined {
  const uid = createAccounts(db).uidOfHandle(handle)
  return uid === 0 ? undefined : findActor(db, uid)?.did
}

/**
 * Resolves a handle or DID over the network, so that a mistyped name does not become a member who
 * never appears. If the network knows no such handle, or does not answer, asks `known`.
 * @param text - a handle, a DID, or the address of a profile or post in an app
 * @throws OperatorError: 404 if there is none, 503 if that can't be found out now
 */
export async function resolveAccount(
  resolver: Resolver,
  text: string,
  known: (handle: string) => string | undefined = () => undefined,
): Promise<Account> {
  const name = accountIn(text)
  if (name.startsWith('did:')) return resolveDid(resolver, name)
  if (!isValidHandle(name)) {
    throw new OperatorError(
      400,
      `"${name.slice(0, 100)}" is neither a handle nor a DID.`,
      'Write a handle such as alice.example.org, or a DID such as did:plc:….',
    )
  }
  const handle = name.toLowerCase()
  const did = await resolver.resolveHandle(handle).catch((error: Error) => {
    return known(handle) ?? unreachable(name)(error)
  })
  const account = did ?? known(handle)
  if (account) return { did: account, handle }
  const trouble = await resolver.dnsTrouble()
  if (trouble) unreachable(name)(new Error(trouble))
  throw new OperatorError(
    404,
    `No account has the handle ${name}.`,
    'Check its spelling, or give the DID: the profile’s address or the PLC directory has it.',
  )
}

async function resolveDid(resolver: Resolver, did: string): Promise<Account> {
  if (!isValidDid(did)) {
    throw new OperatorError(400, `"${did.slice(0, 100)}" is not a DID.`, 'Check its spelling.')
  }
  const identity = await resolver.resolve(did).catch(unreachable(did))
  if (identity) return { did, handle: nameOf(identity) }
  throw new OperatorError(404, `There is no account ${did}.`, 'Check its spelling.')
}

function nameOf({ handle }: Identity): string | undefined {
  return handle
}

function unreachable(name: string): (error: Error) => never {
  return (error) => {
    throw new OperatorError(
      503,
      `${name} can’t be looked up right now: ${error.message}.`,
      'Try again later. `slipstream doctor --only network` tells whether this machine’s network or its name servers are the trouble.',
    )
  }
}
