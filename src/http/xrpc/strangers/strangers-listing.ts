// Follows and lists of accounts that no member follows, where nobody else answers: a member's request is
// answered from the account's PDS (outside-listing.ts). Accounts and lists on it that are unknown here are
// requested, and awaited as those that any answer lacks (up-to-date.ts).

import { BadCursorError } from '../../../answers/skeleton/page-cursor.ts'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import type { NamedActor } from '../naming/actor-names.ts'
import { notKnownHere } from '../waiting/not-here.ts'
import { isStoredAccount } from './holdings.ts'
import type { OutsidePage } from './outside-listing.ts'

type ListingCall = Pick<Call, 'reader' | 'signal' | 'who' | 'mayWait'> & {
  params: { limit: number; cursor?: string }
}

/** Marks a cursor as the PDS's, which is opaque. */
const PREFIX = 'pds:'

/** Whether this page is listed by the account's PDS, rather than read from rows. */
export function isListedOutside(
  app: Needs<'actors' | 'scope'>,
  uid: number,
  { mayWait, params: { cursor }, reader }: ListingCall,
): boolean {
  if (!reader.viewer || !mayWait || uid === 0) return false
  return cursor === undefined ? !isStoredAccount(app, uid) : cursor.startsWith(PREFIX)
}

/**
 * A page of a stranger's collection, with a cursor for clients; undefined if the first one can't be
 * had now.
 * @throws XRPCError NotKnownHere if it is a later one, RateLimitExceeded
 */
export async function listOutside(
  { outsideListing }: Needs<'outsideListing'>,
  collection: string,
  { repo, call }: { repo: NamedActor; call: ListingCall },
): Promise<OutsidePage | undefined> {
  const { limit, cursor } = call.params
  const range = { collection, limit, cursor: cursor && unwrapped(cursor) }
  const page = await outsideListing.page(repo, range, call).catch((error: unknown) => {
    if (!(error instanceof XRPCError) || error.status !== 503) throw error
    if (cursor !== undefined) throw notKnownHere()
    return undefined
  })
  return page && { ...page, cursor: page.cursor && wrapped(page.cursor) }
}

function wrapped(cursor: string): string {
  return PREFIX + Buffer.from(cursor).toString('base64url')
}

function unwrapped(cursor: string): string {
  const text = Buffer.from(cursor.slice(PREFIX.length), 'base64url').toString()
  if (text === '') throw new BadCursorError()
  return text
}
