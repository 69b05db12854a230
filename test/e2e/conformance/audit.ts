// Rules for every answer of any method: no viewer sees posts of accounts they have a block with, of deleted
// accounts, or of those that their labeler took down; visitors see none by accounts that allow only members
// to read; labels come only from the requested labelers.

import { expect } from 'vitest'

export type Rules = {
  /** DIDs whose posts must not be shown. */
  unseen: readonly string[]
  /** DIDs that must not be shown at all. */
  gone: readonly string[]
  /** URIs that must not be shown. */
  takenDown: readonly string[]
  /** Expected labels of each labelled subject (URI or DID), by source; [] for none. */
  labels: ReadonlyMap<string, { src: string; values: readonly string[] }>
}

type View = Record<string, unknown>

export function audit(body: unknown, rules: Rules): void {
  for (const view of objectsIn(body)) auditOne(view, rules)
}

function auditOne(view: View, { unseen, gone, takenDown, labels }: Rules): void {
  const { uri, did, handle, labels: visible } = view
  const author = authorOf(view)
  if (author !== undefined) {
    expect(unseen, `a post by ${author} is shown: ${uri}`).not.toContain(author)
    expect(takenDown, 'a taken-down record is shown').not.toContain(uri)
  }
  if (typeof did === 'string' && typeof handle === 'string') {
    expect(gone, 'an account that is gone is shown').not.toContain(did)
  }
  if (!Array.isArray(visible)) return
  const isView = author !== undefined || typeof handle === 'string'
  const subject = labels.get(typeof handle === 'string' ? String(did) : String(uri))
  if (!isView || !subject) return
  const values = (visible as { src: string; val: string }[])
    .filter(({ src }) => src === subject.src)
    .map(({ val }) => val)
  expect(values.sort(), `labels of ${uri ?? did}`).toEqual([...subject.values].sort())
}

/** The author of a post shown with its text; a quote has the text under a different name. */
function authorOf({ author, record, value, uri }: View): string | undefined {
  const isPost = typeof uri === 'string' && uri.includes('/app.bsky.feed.post/')
  if (!isPost || (record === undefined && value === undefined)) return undefined
  return (author as { did?: string } | undefined)?.did
}

function* objectsIn(value: unknown): Generator<View> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as View
  // Records may contain anything; only the fields that we add are audited.
  for (const [name, item] of Object.entries(value)) {
    if (name !== 'record' && name !== 'value') yield* objectsIn(item)
    else if ((item as { $type?: string })?.$type?.includes('#')) yield* objectsIn(item)
    else if (isView(item)) yield* objectsIn(item)
  }
}

/** recordWithMedia and thread items have views where others have records. */
function isView(value: unknown): boolean {
  const { record, post } = (value ?? {}) as View
  return record !== undefined || post !== undefined
}
