// The `atproto-accept-labelers` header: the labelers that a client wants, and which of them may hide content
// altogether (`;redact`). A list of structured fields: DIDs, bare or in quotes, with one parameter. As in the
// reference, a header that is none, or names something else, counts as missing, so it never fails a request.

import { isValidDid } from '@atproto/syntax'
import type { Labelers } from '../../base/atproto/labelers.ts'
import { parseList } from './structured-list.ts'

export type AcceptedLabelers = Labelers

/** Which labelers apply to a call. */
export type AcceptLabelers = (
  header: string | undefined,
  viewer: string | undefined,
) => AcceptedLabelers

/** The official client sends at most 20. */
const MAX_LABELERS = 40
const MAX_MEMO = 256

/** Clients send the same header with every request, so few headers are parsed twice. */
const memo = new Map<string, AcceptedLabelers | undefined>()

export function parseAcceptLabelers(header: string | undefined): AcceptedLabelers | undefined {
  if (header === undefined) return undefined
  if (memo.has(header)) return memo.get(header)
  const parsed = parseHeader(header)
  if (memo.size >= MAX_MEMO) memo.clear()
  memo.set(header, parsed)
  return parsed
}

function parseHeader(header: string): AcceptedLabelers | undefined {
  const items = parseList(header)
  if (!items || items.length > MAX_LABELERS) return undefined
  const dids = new Set<string>()
  const redact = new Set<string>()
  for (const { text: did, parameters } of items) {
    if (did === undefined || !isValidDid(did)) return undefined
    dids.add(did)
    if (parameters.get('redact') === true) redact.add(did)
  }
  return { dids: [...dids], redact }
}
