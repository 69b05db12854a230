// The accounts that pages of a search have shown, as their cursor carries them: whoever reads on sees nobody
// twice, whatever changed meanwhile, and whoever else finds the same people. Each is eight letters of a hash;
// the cursor keeps the latest, so that it stays short.

import { createHash } from 'node:crypto'

const LETTERS = 8
const MAX_SEEN = 250
const FORM = /^(?:[A-Za-z0-9_-]{8}){0,250}$/

export type SeenAccounts = {
  has(did: string): boolean
  /** Whether those that were shown first may be forgotten. */
  isFull: boolean
  with(dids: readonly string[]): SeenAccounts
  /** Undefined where there are none. */
  text: string | undefined
}

/** @returns undefined for what we could not have written */
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

/** A cursor and what was seen on the way to it; undefined stays undefined. */
export function withSeen(cursor: string | undefined, { text }: SeenAccounts): string | undefined {
  return cursor === undefined || text === undefined ? cursor : `${cursor}${SEPARATOR}${text}`
}

/** @returns undefined for what we could not have written */
export function splitSeen(
  cursor: string | undefined,
): { cursor: string | undefined; seen: SeenAccounts } | undefined {
  const at = cursor?.indexOf(SEPARATOR) ?? -1
  const seen = parseSeen(at < 0 ? '' : cursor!.slice(at + 1))
  return seen && { cursor: at < 0 ? cursor : cursor!.slice(0, at), seen }
}
