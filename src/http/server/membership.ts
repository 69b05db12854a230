// Who may read here, and the news that somebody did. A member's request tells the ingest thread, at most once in a
// while, so that their timeline is in memory and their cold start begins; the request itself does not wait for it. As
// often it is asked whether they are a member still. Whoever is signed in and may not read is told so by every
// method, also by those that answer visitors: a client that got a visitor's answers would show its user as somebody
// who follows nobody.

import { forbidden, type XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import { isByInvite } from '../../base/config/members.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { NewcomerRequest, Newcomers } from '../overload/newcomers.ts'

const TOLD_AGAIN_AFTER_MS = MINUTE_MS
const MAX_REMEMBERED = 100_000
const FULL_FOR_MS = 1_000
/** A request that came by no network socket. */
const OUR_OWN: NewcomerRequest = { remoteAddress: undefined, header: () => undefined }

type MembershipParts = {
  config: Pick<Config, 'members' | 'publicOrigin'>
  configuredMembers: () => readonly string[]
  /** Whether the operator keeps the account out, whatever else lets it in. */
  isBanned: (did: string) => boolean
  /** Whether the operator or an invite let the account in. */
  isAdmitted: (did: string) => boolean
  /** Whether the account reads here already. */
  isMember: (did: string) => boolean
  /** Whether one more may come in, if need be for somebody who came once only (data/store/seats.ts). */
  hasSeat: () => boolean
  /** Bounds how many come in an hour. */
  newcomers: Newcomers
  writer: Writer
  onError: (error: unknown) => void
  now?: () => number
}

type Membership = (did: string, token?: { isForUs: boolean }, request?: NewcomerRequest) => void

/**
 * @returns what runs for each verified viewer; it throws the refusal for those who may not read. A token that
 * was made out to somebody else, as a feed generator gets one, lets nobody in who is not.
 */
export function createMembership(parts: MembershipParts): Membership {
  const { config, configuredMembers, writer, onError, now = Date.now } = parts
  const toldAt = new Map<string, number>()
  let fullUntil = 0

  /** Found again after a while only, since it takes a look at all members. */
  function isFull(): boolean {
    if (now() < fullUntil) return true
    if (parts.hasSeat()) return false
    fullUntil = now() + FULL_FOR_MS
    return true
  }

  const isNamed = (did: string) => configuredMembers().includes(did)
  const isKnown = (did: string) => isNamed(did) || parts.isAdmitted(did)

  function check(did: string): void {
    if (config.members !== 'open' && !isKnown(did)) throw notAMember(config)
  }

  function takeSeat(did: string, request: NewcomerRequest): void {
    if (parts.isMember(did) || isNamed(did)) return
    if (!parts.isAdmitted(did)) parts.newcomers.admit(did, request)
    if (isFull()) throw noMoreMembers()
  }

  function tell(did: string, from: string | undefined): void {
    if (toldAt.size >= MAX_REMEMBERED) toldAt.clear()
    toldAt.set(did, now())
    writer.send({ kind: 'member-seen', did, from }).catch((error) => {
      toldAt.delete(did)
      onError(error)
    })
  }

  return (did, { isForUs } = { isForUs: true }, request = OUR_OWN) => {
    // A ban ends a membership and lets nobody become a member, so a member's request costs no look at rows.
    if (!parts.isMember(did) && parts.isBanned(did)) {
      toldAt.delete(did)
      throw banned()
    }
    if (now() - (toldAt.get(did) ?? -Infinity) < TOLD_AGAIN_AFTER_MS) return
    toldAt.delete(did)
    check(did)
    if (!isForUs) return
    takeSeat(did, request)
    tell(did, parts.newcomers.originOf(request))
  }
}

function notAMember({ members, publicOrigin }: MembershipParts['config']): XRPCError {
  return forbidden(
    isByInvite(members)
      ? `This AppView is by invitation. If you have a code, enter it at ${publicOrigin}/invite`
      : 'This AppView serves a fixed list of accounts, and this is none of them. Its operator can add it.',
    'NotAMember',
  )
}

function banned(): XRPCError {
  return forbidden(
    'The operator of this AppView has banned this account from reading here.',
    'AccountBanned',
  )
}

function noMoreMembers(): XRPCError {
  return forbidden(
    'This AppView has as many members as its operator allows. Its operator can make room.',
    'MembersFull',
  )
}
