// What was begun and not sent: kept in this browser with every key, so that nothing is lost to a session that
// ends or a server that is away, and on request with the member's drafts (app.bsky.draft).

import { ask, tell } from '../page/api.ts'

/** What a text is for: URIs of posts. */
type Target = { replyTo?: string | undefined; quote?: string | undefined }
type Begun = Target & { text: string }
export type Draft = { id: string; draft: { posts: { text: string }[] }; updatedAt: string }

const KEY = 'slipstream-begun'
const MOST = 20

/** Each answer that was begun has its own, so that beginning another one loses none. */
export function begunFor(target: Target): string {
  return all().find(isFor(target))?.text ?? ''
}

export function keepBegun(target: Target, text: string): void {
  const others = all().filter((one) => !isFor(target)(one))
  const kept = text.trim() === '' ? others : [{ ...target, text }, ...others].slice(0, MOST)
  if (kept.length === 0) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(kept))
}

function isFor({ replyTo, quote }: Target): (one: Begun) => boolean {
  return (one) => one.replyTo === replyTo && one.quote === quote
}

/** Newest first. */
function all(): Begun[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
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
