// The cursor of a page from elsewhere, as our clients carry it: `elsewhere_<page>_<theirs>.<sum>`; searches
// of accounts add the accounts already shown, before the sum: `~<seen>` (http/xrpc/search/seen-accounts.ts). It is
// valid only for its method and subject, and counts pages, so that a host with endless or circular cursors
// can't lead a client on for ever.

import { createHash } from 'node:crypto'

export type WrappedCursor = {
  /** Pages from elsewhere shown before, from 1. */
  page: number
  /** Their cursor; undefined for their first page. */
  theirs: string | undefined
  /** Accounts shown on earlier pages. */
  seen?: string | undefined
}

const PREFIX = 'elsewhere_'
const MAX_PAGES = 500
const MAX_LENGTH = 2_000
const FORM =
  /^elsewhere_(\d{1,4})_([A-Za-z0-9_-]*)(?:~([A-Za-z0-9_-]{1,2000}))?\.([A-Za-z0-9-_]{11})$/

export function isWrapped(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && cursor.startsWith(PREFIX)
}

/** @param purpose - the method and its subject */
export function wrapCursor(
  { page, theirs, seen }: WrappedCursor,
  purpose: string,
): string | undefined {
  if (page > MAX_PAGES || (theirs?.length ?? 0) > MAX_LENGTH) return undefined
  const where = `${PREFIX}${page}_${Buffer.from(theirs ?? '').toString('base64url')}`
  const text = seen ? `${where}~${seen}` : where
  return `${text}.${sumOf(text, purpose)}`
}

/** @returns undefined for a cursor that we could not have written. */
export function unwrapCursor(cursor: string, purpose: string): WrappedCursor | undefined {
  const [, page, theirs = '', seen, sum] = FORM.exec(cursor) ?? []
  if (page === undefined || sum !== sumOf(cursor.slice(0, -sum!.length - 1), purpose)) {
    return undefined
  }
  const text = Buffer.from(theirs, 'base64url').toString()
  return { page: Number(page), theirs: text === '' ? undefined : text, seen }
}

function sumOf(text: string, purpose: string): string {
  return createHash('sha256').update(`${text} ${purpose}`).digest('base64url').slice(0, 11)
}
