// Decides which accounts may read here. A member's request tells the ingest thread, at most once per
// interval, to load the timeline into memory and begin the cold start; the request does not wait for it.
// Membership is rechecked at the same interval. A signed-in account that may not read is refused by every
// method, even those that answer visitors: with a visitor's answers, a client would show its user as
// following no one.

import { forbidden, type XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import { isByInvite } from '../../base/config/members.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { NewcomerRequest, Newcomers } from '../overload/newcomers.ts'

const REPORTED_AGAIN_AFTER_MS = MINUTE_MS
const MAX_REMEMBERED = 100_000
const FULL_FOR_MS = 1_000
/** A request that arrived over no network socket. */
const OUR_OWN: NewcomerRequest = { remoteAddress: undefined, header: () => undefined }

type MembershipContext = {
  config: Pick<Config, 'members' | 'publicOrigin'>
  configuredMembers: () => readonly string[]
  /** Whether the operator has banned the account, which overrides everything that admits it. */
  isBanned: (did: string) => boolean
  /** Whether the operator or an invite admitted the account. */
  isAdmitted: (did: string) => boolean
  /** Whether the account is a member already. */
  isMember: (did: string) => boolean
  /**
   * Whether there is room for one more member, possibly by evicting one that visited only once
   * (data/store/members/seats.ts).
   */
  hasSeat: () => boolean
  /** Limits new members per hour. */
  newcomers: Newcomers
  writer: Writer
  onError: (error: unknown) => void
  now?: () => number
}

type Membership = (did: string, token?: { isForUs: boolean }, request?: NewcomerRequest) => void

/**
 * @returns a check that runs for each verified viewer and throws if the account may not read. A
 * token for another audience, as feed generators receive, does not make its account a member.
 */
export function createMembership(context: MembershipContext): Membership {
  const { config, configuredMembers, writer, onError, now = Date.now } = context
  const reportedAt = new Map<string, number>()
  let fullUntil = 0

  /** Remembers for a while that no seat is free, since the check scans all members. */
  function isFull(): boolean {
    if (now() < fullUntil) return true
    if (context.hasSeat()) return false
    fullUntil = now() + FULL_FOR_MS
    return true
  }

  const isNamed = (did: string) => configuredMembers().includes(did)
  const isKnown = (did: string) => isNamed(did) || context.isAdmitted(did)

  function check(did: string): void {
    if (config.members !== 'open' && !isKnown(did)) throw notAMember(config)
  }

  function takeSeat(did: string, request: NewcomerRequest): void {
    if (context.isMember(did) || isNamed(did)) return
    if (!context.isAdmitted(did)) context.newcomers.admit(did, request)
    if (isFull()) throw noMoreMembers()
  }

  function tell(did: string, from: string | undefined): void {
    if (reportedAt.size >= MAX_REMEMBERED) reportedAt.clear()
    reportedAt.set(did, now())
    writer.send({ kind: 'member-seen', did, from }).catch((error) => {
      reportedAt.delete(did)
      onError(error)
    })
  }

  return (did, { isForUs } = { isForUs: true }, request = OUR_OWN) => {
    // A ban ends a membership and prevents a new one, so a member's request needs no row lookup.
    if (!context.isMember(did) && context.isBanned(did)) {
      reportedAt.delete(did)
      throw banned()
    }
    if (now() - (reportedAt.get(did) ?? -Infinity) < REPORTED_AGAIN_AFTER_MS) return
    reportedAt.delete(did)
    check(did)
    if (!isForUs) return
    takeSeat(did, request)
    tell(did, context.newcomers.originOf(request))
  }
}

function notAMember({ members, publicOrigin }: MembershipContext['config']): XRPCError {
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
