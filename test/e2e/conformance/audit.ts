// What must be true of every answer, whatever method gave it: nobody sees posts of people with whom they
// have a block, of accounts that are gone, or of what their labeler took down; visitors see nothing of
// those who want to be read by members only; labels are those of the labelers that were asked for.

import { expect } from 'vitest'

export type Rules = {
  /** DIDs whose posts may not be shown. */
  unseen: readonly string[]
  /** DIDs of which there may be no view at all. */
  gone: readonly string[]
  /** URIs that may not be shown. */
  takenDown: readonly string[]
  /** Of each labelled subject (URI or DID), what is to be read there by whom; [] where nothing may. */
  labels: ReadonlyMap<string, { src: string; values: readonly string[] }>
}

type View = Record<string, unknown>

export function audit(body: unknown, rules: Rules): void {
  for (const view of objectsIn(body)) auditOne(view, rules)
}

function auditOne(view: View, { unseen, gone, takenDown, labels }: Rules): void {
  const { uri, did, handle, labels: shown } = view
  const author = authorOf(view)
  if (author !== undefined) {
    expect(unseen, `a post by ${author} is shown: ${uri}`).not.toContain(author)
    expect(takenDown, 'what was taken down is shown').not.toContain(uri)
  }
  if (typeof did === 'string' && typeof handle === 'string') {
    expect(gone, 'an account that is gone is shown').not.toContain(did)
  }
  if (!Array.isArray(shown)) return
  const isView = author !== undefined || typeof handle === 'string'
  const subject = labels.get(typeof handle === 'string' ? String(did) : String(uri))
  if (!isView || !subject) return
  const values = (shown as { src: string; val: string }[])
    .filter(({ src }) => src === subject.src)
    .map(({ val }) => val)
  expect(values.sort(), `labels of ${uri ?? did}`).toEqual([...subject.values].sort())
}

/** Of a post that is shown with its text; in a quote it stands under another name. */
function authorOf({ author, record, value, uri }: View): string | undefined {
  const isPost = typeof uri === 'string' && uri.includes('/app.bsky.feed.post/')
  if (!isPost || (record === undefined && value === undefined)) return undefined
  return (author as { did?: string } | undefined)?.did
}

function* objectsIn(value: unknown): Generator<View> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as View
  // What people wrote may say anything; only what we say of it is audited.
  for (const [name, one] of Object.entries(value)) {
    if (name !== 'record' && name !== 'value') yield* objectsIn(one)
    else if ((one as { $type?: string })?.$type?.includes('#')) yield* objectsIn(one)
    else if (isView(one)) yield* objectsIn(one)
  }
}

/** recordWithMedia and thread items keep views where others keep records. */
function isView(value: unknown): boolean {
  const { record, post } = (value ?? {}) as View
  return record !== undefined || post !== undefined
}
