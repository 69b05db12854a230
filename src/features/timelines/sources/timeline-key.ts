// Timeline keys: `following:<did>`, `author:<did>`, `list:<at-uri>`, `notifications:<did>`, `likes:<did>`,
// `follows:<did>`, `custom:<name>`, and merges of up to 16 of them, joined by `+`.

import { isValidDid } from '@atproto/syntax'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'

export type TimelineKey = {
  /** The key as written. */
  text: string
  kind: (typeof KINDS)[number]
  /** The part after the first colon. */
  name: string
  /**
   * Set for a list that its owner reads, not a program: it shows the owner no one with whom there is
   * a block.
   */
  isForOwner?: boolean
}

export const KINDS = [
  ...(['following', 'author', 'list', 'notifications'] as const),
  ...(['likes', 'follows', 'custom'] as const),
] as const
export const MAX_MERGED = 16
export const CUSTOM_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
export const MAX_LENGTH = 4_096

/**
 * @param isForOwner - whether a member reads, who may read only their own timelines
 * @throws XRPCError 400
 */
export function parseTimelineKey(text: string, isForOwner = false): TimelineKey[] {
  const parts = text.length > MAX_LENGTH ? [] : text.split('+')
  if (parts.length > MAX_MERGED) throw invalidRequest(`At most ${MAX_MERGED} timelines are merged`)
  const keys = parts.map((part) => parseOne(part, isForOwner))
  if (keys.length === 0) throw unfit(text.slice(0, 64))
  if (new Set(parts).size < parts.length) throw invalidRequest('A timeline is named twice')
  return keys
}

function parseOne(text: string, isForOwner: boolean): TimelineKey {
  const colon = text.indexOf(':')
  const kind = KINDS.find((item) => item === text.slice(0, colon))
  const name = text.slice(colon + 1)
  if (!kind || !isFit(kind, name)) throw unfit(text)
  return isForOwner && kind === 'list' ? { text, kind, name, isForOwner } : { text, kind, name }
}

/** Whether a timeline of this kind can have this name. */
export function isFit(kind: TimelineKey['kind'], name: string): boolean {
  if (kind === 'custom') return CUSTOM_NAME.test(name)
  if (kind === 'list') return parseRecordUri(name)?.collection === 'app.bsky.graph.list'
  return isValidDid(name)
}

function unfit(text: string): Error {
  return invalidRequest(
    `No timeline is called ${JSON.stringify(text)}: following:<did>, author:<did>, list:<at-uri>, notifications:<did>, likes:<did>, follows:<did> or custom:<name>`,
  )
}
