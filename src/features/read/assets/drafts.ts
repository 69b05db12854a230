// What was begun and not sent: kept in this browser with every key, so that nothing is lost to a session that
// ends or a server that is away, and on request with the member's drafts (app.bsky.draft).

import { ask, tell } from './api.ts'

export type Begun = { text: string; replyTo?: string | undefined; quote?: string | undefined }
export type Draft = { id: string; draft: { posts: { text: string }[] }; updatedAt: string }

const KEY = 'slipstream-begun'

export function begun(): Begun | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

export function keepBegun(one: Begun): void {
  if (one.text.trim() === '') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(one))
}

export function forgetBegun(): void {
  localStorage.removeItem(KEY)
}

export async function saveDraft(text: string): Promise<void> {
  const draft = { posts: [{ $type: 'app.bsky.draft.defs#draftPost', text }] }
  await tell('app.bsky.draft.createDraft', { draft })
}

export function readDrafts(cursor?: string): Promise<{ drafts: Draft[]; cursor?: string }> {
  return ask('app.bsky.draft.getDrafts', { limit: 50, cursor })
}

export async function deleteDraft(id: string): Promise<void> {
  await tell('app.bsky.draft.deleteDraft', { id })
}
