// Timeline keys as callers write them: accounts also by handle, and accounts and lists by the address of their
// page in an app. What answers, cursors and scopes have is the key with the DID.

import { parseNamedThing } from '../../../base/atproto/named-thing.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import { allOf, andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { Needs } from '../../../http/xrpc/define.ts'
import type { LookedUpFor } from '../../../http/xrpc/strangers/outside-shares.ts'
import { isFit, KINDS } from '../sources/timeline-key.ts'

const MAX_NAMED = 16

/**
 * Parts that name nothing stay as they are.
 * @throws XRPCError 400 for a handle that leads to no account, 503 if that can't be told now
 */
export function readKey(
  { names }: Needs<'names'>,
  text: string,
  by: LookedUpFor,
): MaybeLater<string> {
  const parts = text.split('+')
  if (parts.length > MAX_NAMED || parts.every(isInteger)) return text
  return andThen(
    allOf(parts.map((part) => readPart({ find: (actor) => names.find(actor, by) }, part))),
    (read) => read.join('+'),
  )
}

function isInteger(part: string): boolean {
  const { kind, name } = halvesOf(part)
  return kind === undefined || isFit(kind, name)
}

function halvesOf(part: string) {
  const colon = part.indexOf(':')
  return {
    kind: KINDS.find((item) => item === part.slice(0, colon)),
    name: part.slice(colon + 1),
  }
}

type Names = { find(actor: string): ReturnType<Needs<'names'>['names']['find']> }

/** @throws XRPCError 400 for a handle that leads to no account, 503 if that can't be told now */
export function didOf(names: Names, actor: string): MaybeLater<string> {
  return andThen(names.find(actor), (found) => {
    if (!found) throw invalidRequest(`No account has the handle ${actor}`, 'ActorNotFound')
    return found.did
  })
}

function readPart(names: Names, part: string): MaybeLater<string> {
  const { kind, name } = halvesOf(part)
  const named = kind === undefined || isInteger(part) ? undefined : parseNamedThing(name)
  if (!named || kind === 'custom') return part
  return andThen(didOf(names, named.actor), (did) => {
    if (kind !== 'list') return `${kind}:${did}`
    const { record } = named
    return record ? `list:at://${did}/${record.collection}/${record.rkey}` : part
  })
}
