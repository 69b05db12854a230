// What was begun and not sent: kept in this browser with every key, so that nothing is lost to a session that
// ends or a server that is away, and on request with the member's drafts (app.bsky.draft).

import { ask, tell } from '../page/api.ts'
import { storedPictures, storePictures } from './picture-store.ts'
import type { Picture } from './pictures.ts'
import type { Ref } from './records.ts'

/** What a text is for: URIs of posts, or a draft's ID. */
export type Target = {
  /** Whose it is: somebody else may sign in at this browser. Those of before have no name. */
  by?: string | undefined
  replyTo?: string | undefined
  quote?: string | undefined
  draft?: string | undefined
}
type Begun = Target & { text: string }
type DraftPost = {
  text: string
  embedImages?: { localRef: { path: string }; alt?: string }[]
  embedRecords?: { record: Ref }[]
}
export type Draft = { id: string; draft: { posts: DraftPost[] }; updatedAt: string }

const KEY = 'slipstream-begun'
const MOST = 20

/** Each answer that was begun has its own, so that beginning another one loses none. */
export function begunFor(target: Target): string | undefined {
  return all().find(isFor(target))?.text
}

export function storeBegun(target: Target, text: string): void {
  const others = all().filter((begun) => !isFor(target)(begun))
  const filtered = text.trim() === '' ? others : [{ ...target, text }, ...others].slice(0, MOST)
  if (filtered.length === 0) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, JSON.stringify(filtered))
}

export const picturesBegun = (target: Target): Promise<Picture[]> => storedPictures(pathOf(target))

export const storeBegunPictures = (target: Target, pictures: readonly Picture[]): Promise<void> =>
  storePictures(pathOf(target), pictures)

const pathOf = ({ by, replyTo, quote, draft }: Target) =>
  `/read/begun?${[by, replyTo, quote, draft].map((value) => encodeURIComponent(value ?? ''))}`

function isFor({ by, replyTo, quote, draft }: Target): (begun: Begun) => boolean {
  return (begun) =>
    (begun.by ?? by) === by &&
    begun.replyTo === replyTo &&
    begun.quote === quote &&
    begun.draft === draft
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

/** @param id - of the draft that it takes the place of */
export async function saveDraft(
  { text, quote, pictures }: { text: string; quote: Ref | undefined; pictures: Picture[] },
  id?: string,
): Promise<void> {
  const path = `/read/begun?${crypto.randomUUID()}`
  await storePictures(path, pictures)
  const post = {
    text,
    ...(pictures.length > 0 && {
      embedImages: pictures.map(({ alt }, i) => ({ localRef: { path: `${path}#${i}` }, alt })),
    }),
    ...(quote && { embedRecords: [{ record: quote }] }),
  }
  if (id) await tell('app.bsky.draft.updateDraft', { draft: { id, draft: { posts: [post] } } })
  else await tell('app.bsky.draft.createDraft', { draft: { posts: [post] } })
}

/** Those that are in this browser. */
export async function picturesOf({ draft }: Draft): Promise<Picture[]> {
  return storedPictures(pathOfPictures(draft.posts[0]) ?? '/')
}

const pathOfPictures = (post: DraftPost | undefined): string | undefined =>
  post?.embedImages?.[0]?.localRef.path.split('#')[0]

export function readDrafts(cursor?: string): Promise<{ drafts: Draft[]; cursor?: string }> {
  return ask('app.bsky.draft.getDrafts', { limit: 50, cursor })
}

export async function deleteDraft({ id, draft }: Draft): Promise<void> {
  await tell('app.bsky.draft.deleteDraft', { id })
  const path = pathOfPictures(draft.posts[0])
  if (path) await storePictures(path, [])
}
