// Accounts of the network's graph as callers write them: also by handle, and by the address of their page in an app.
// What is read and answered is the DID.

import { isValidDid } from '@atproto/syntax'
import { parseNamedThing } from '../../../base/atproto/named-thing.ts'
import { allOf, andThen, type MaybeLater } from '../../../base/util/turn.ts'
import type { Needs } from '../../../http/xrpc/define.ts'
import type { LookedUpFor } from '../../../http/xrpc/strangers/outside-shares.ts'
import { notHereYet } from '../../../http/xrpc/waiting/not-here.ts'
import { didOf } from './read-key.ts'

/** The names as the graph has them, in order. */
export type ReadNames = (names: readonly string[], by: LookedUpFor) => MaybeLater<readonly string[]>

/** Handles that are looked up for one request; they are remembered, so that a repeated one gets further. */
const MAX_LOOKED_UP = 25

/**
 * What names no account stays as it is.
 * @throws XRPCError 400 for a handle that leads to no account, 503 if that can't be told now
 */
export function readNamesByDid({ names }: Needs<'names'>): ReadNames {
  return (given, by) => {
    const actors = given.map((name) => (isValidDid(name) ? name : accountIn(name)))
    const handles = new Set(actors.filter((actor) => actor !== undefined && !isValidDid(actor)))
    if (handles.size === 0) return given.map((name, i) => actors[i] ?? name)
    const unknown = [...handles].filter((handle) => !names.isRemembered(handle!))
    if (unknown.length > MAX_LOOKED_UP) throw tooManyUnknown()
    const find = (handle: string) => names.find(handle, by)
    const found = allOf([...handles].map((handle) => didOf({ find }, handle!)))
    return andThen(found, (dids) => {
      const byHandle = new Map([...handles].map((handle, i) => [handle, dids[i]!]))
      return given.map((name, i) => byHandle.get(actors[i]) ?? actors[i] ?? name)
    })
  }
}

/** Undefined for a record, and for what names nothing. */
function accountIn(name: string): string | undefined {
  const named = parseNamedThing(name)
  return named?.record ? undefined : named?.actor
}

function tooManyUnknown() {
  return notHereYet(`The request has more than ${MAX_LOOKED_UP} handles unknown here`)
}
