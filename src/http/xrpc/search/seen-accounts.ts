// The accounts that earlier pages of a search have shown, carried in the cursor: later pages repeat none of
// them, whatever has changed since, and other viewers get the same results. Each takes eight letters of a
// hash; the cursor keeps only the latest, so that it stays short.

import { createHash } from 'node:crypto'

const LETTERS = 8
const MAX_SEEN = 250
const FORM = /^(?:[A-Za-z0-9_-]{8}){0,250}$/

export type SeenAccounts = {
  has(did: string): boolean
  /** Whether the accounts shown first may have been dropped. */
  isFull: boolean
  with(dids: readonly string[]): SeenAccounts
  /** Undefined if there are none. */
  text: string | undefined
}

/** @returns undefined for text that this server can't have written */
export function parseSeen(text = ''): SeenAccounts | undefined {
  if (!FORM.test(text)) return undefined
  const all = Array.from({ length: text.length / LETTERS }, (_, i) =>
    text.slice(i * LETTERS, (i + 1) * LETTERS),
  )
  return seenAccounts(all)
}

function seenAccounts(all: readonly string[]): SeenAccounts {
  const latest = all.slice(-MAX_SEEN)
  const marks = new Set(latest)
  return {
    has: (did) => marks.has(markOf(did)),
    isFull: latest.length === MAX_SEEN,
    with: (dids) => seenAccounts([...latest, ...dids.map(markOf)]),
    text: latest.length === 0 ? undefined : latest.join(''),
  }
}

function markOf(did: string): string {
  return createHash('sha256').update(did).digest('base64url').slice(0, LETTERS)
}

const SEPARATOR = '~'

/** Appends the accounts seen so far to a cursor; undefined stays undefined. */
export function withSeen(cursor: string | undefined, { text }: SeenAccounts): string | undefined {
  return cursor === undefined || text === undefined ? cursor : `${cursor}${SEPARATOR}${text}`
}

/** @returns undefined for text that this server can't have written */
export function splitSeen(
  cursor: string | undefined,
): { cursor: string | undefined; seen: SeenAccounts } | undefined {
  const at = cursor?.indexOf(SEPARATOR) ?? -1
  const seen = parseSeen(at < 0 ? '' : cursor!.slice(at + 1))
  return seen && { cursor: at < 0 ? cursor : cursor!.slice(0, at), seen }
}
