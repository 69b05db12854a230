// Members as an operator sees them: who, since when, last seen when; and from what an operator writes to
// an account.

import { isValidDid, isValidHandle } from '@atproto/syntax'
import { isoTime } from '../../base/util/iso-time.ts'
import { findActor, followsCountOf } from '../../data/store/actors.ts'
import {
  COLD_START,
  countLeftOut,
  countLeftOutAmong,
  findBackfill,
} from '../../data/store/backfills.ts'
import type { Db } from '../../data/store/db.ts'
import { followedBy } from '../../data/store/follows.ts'
import { countJobsAmong, isAnyJobWaiting } from '../../data/store/job-schedule.ts'
import { allMembers } from '../../data/store/members.ts'
import { createAccounts } from '../../data/store/read/accounts.ts'
import type { Identity } from '../../sources/identity/did-document.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { OperatorError } from './operator-error.ts'

export type MemberLine = {
  did: string
  /** As far as it was verified. */
  handle: string | undefined
  joinedAt: string
  lastSeenAt: string | undefined
  follows: number
  /** Whether everything was fetched that their cold start fetches at once. */
  isComplete: boolean
  /** Of those whom they follow: beyond what a cold start fetches at once, to be fetched slowly. */
  later: number
  /** Of the same: records that were more than a cold start may bring, to be fetched slowly; at least so many. */
  recordsLater: number
}

export function listMembers(db: Db): MemberLine[] {
  const isAnyLater = isAnyJobWaiting(db, 'author')
  const isAnyLeftOut = countLeftOut(db) > 0
  return allMembers(db).map(({ uid, joined_at, last_seen_at }) => {
    const { did, handle, handle_valid } = findActor(db, uid)!
    return {
      did,
      handle: handle_valid === 1 && handle !== null ? handle : undefined,
      joinedAt: isoTime(joined_at),
      lastSeenAt: isoTime(last_seen_at),
      follows: followsCountOf(db, uid),
      isComplete: findBackfill(db, uid, COLD_START) !== undefined,
      later: countJobsAmong(db, 'author', isAnyLater ? followedBy(db, uid) : []),
      recordsLater: countLeftOutAmong(db, isAnyLeftOut ? followedBy(db, uid) : []),
    }
  })
}

export type Account = { did: string; handle: string | undefined }

/** From our own index, where the handle was verified. */
export function accountKnownAs(db: Db, handle: string): string | undefined {
  const uid = createAccounts(db).uidOfHandle(handle)
  return uid === 0 ? undefined : findActor(db, uid)?.did
}

/**
 * The account behind a handle or a DID, asked of the network: a name with a typing error is not
 * to become a member who never comes. Where the network knows no such handle, `known` is asked.
 * @throws OperatorError
 */
export async function resolveAccount(
  resolver: Resolver,
  actor: string,
  known: (handle: string) => string | undefined = () => undefined,
): Promise<Account> {
  const name = actor.trim().replace(/^@/, '')
  if (name.startsWith('did:')) return resolveDid(resolver, name)
  if (!isValidHandle(name)) {
    throw new OperatorError(
      400,
      `"${name.slice(0, 100)}" is neither a handle nor a DID.`,
      'Write a handle such as alice.example.org, or a DID such as did:plc:….',
    )
  }
  const handle = name.toLowerCase()
  const did = (await resolver.resolveHandle(handle).catch(unreachable(name))) ?? known(handle)
  if (did) return { did, handle }
  throw new OperatorError(
    404,
    `The handle ${name} leads to no account.`,
    'Check its spelling; or give the DID, which the profile’s address or the PLC directory tells.',
  )
}

async function resolveDid(resolver: Resolver, did: string): Promise<Account> {
  if (!isValidDid(did)) {
    throw new OperatorError(400, `"${did.slice(0, 100)}" is no DID.`, 'Check its spelling.')
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
      `Nobody can say now who ${name} is: ${error.message}.`,
      'Try again; `slipstream doctor` looks at the network and the PLC directory.',
    )
  }
}
