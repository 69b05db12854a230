// Moves a member's private state between two AppViews, by the calls that every client makes: what one answers is
// told to the other. The command line's way (docs/MEMBER-STATE.md) writes the same.

import { setup } from '../../../sign-in/assets/session.ts'
import { CallError, post, query, SessionOverError } from '../page/api.ts'

export type Moving = { moved: number; failed: number }
type Page = { cursor?: string; [field: string]: unknown }
type Kind = {
  /** A key of words.ts. */
  words: 'mutes' | 'mutedLists' | 'bookmarks' | 'drafts' | 'subscriptions'
  read: string
  field: string
  write: string
  input(item: never): object | undefined
}
type WithDid = { did: string }

const KINDS: readonly Kind[] = [
  {
    words: 'mutes',
    read: 'app.bsky.graph.getMutes',
    field: 'mutes',
    write: 'app.bsky.graph.muteActor',
    input: ({
      did,
      viewer,
    }: WithDid & { viewer?: { mutedOnlyReposts?: boolean; mutedOnlyQuoteposts?: boolean } }) => ({
      actor: did,
      ...(viewer?.mutedOnlyReposts && { onlyReposts: true }),
      ...(viewer?.mutedOnlyQuoteposts && { onlyQuoteposts: true }),
    }),
  },
  {
    words: 'mutedLists',
    read: 'app.bsky.graph.getListMutes',
    field: 'lists',
    write: 'app.bsky.graph.muteActorList',
    input: ({ uri }: { uri: string }) => ({ list: uri }),
  },
  {
    words: 'bookmarks',
    read: 'app.bsky.bookmark.getBookmarks',
    field: 'bookmarks',
    write: 'app.bsky.bookmark.createBookmark',
    input: ({ subject }: { subject: { uri: string; cid: string } }) => ({
      uri: subject.uri,
      cid: subject.cid,
    }),
  },
  {
    words: 'drafts',
    read: 'app.bsky.draft.getDrafts',
    field: 'drafts',
    write: 'app.bsky.draft.createDraft',
    input: ({ draft }: { draft: object }) => ({ draft }),
  },
  {
    words: 'subscriptions',
    read: 'app.bsky.notification.listActivitySubscriptions',
    field: 'subscriptions',
    write: 'app.bsky.notification.putActivitySubscription',
    input: ({ did, viewer }: WithDid & { viewer?: { activitySubscription?: object } }) =>
      viewer?.activitySubscription && {
        subject: did,
        activitySubscription: viewer.activitySubscription,
      },
  },
]

const MAX_PAGES = 200
const LIMIT = 100
const MAX_TRIES = 4
const WAIT_MS = 2_000

const ours = () => `${setup().serviceDid}#bsky_appview`

/** @param tell - told after every item: the kind, and how many of it are done */
export async function move(
  direction: 'bring' | 'leave',
  tell: (kind: Kind['words'] | 'settings' | 'unreadPosition', done: number) => void,
): Promise<Moving> {
  const [from, to] = direction === 'bring' ? [setup().previous, ours()] : [ours(), setup().previous]
  const all = { moved: 0, failed: 0 }
  for (const kind of KINDS) {
    // Written oldest first, so that they are listed in the same order there.
    const items = (await everything(kind, from)).reverse()
    let done = 0
    for (const item of items) {
      const input = kind.input(item as never)
      if (input && (await written(kind.write, input, to))) all.moved++
      else if (input) all.failed++
      done++
      tell(kind.words, done)
    }
  }
  await settings(from, to, all, tell)
  return all
}

async function everything({ read, field }: Kind, from: string): Promise<unknown[]> {
  const items: unknown[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await patiently(() => query<Page>(read, { limit: LIMIT, cursor }, { to: from }))
    const some = (page?.[field] ?? []) as unknown[]
    items.push(...some)
    if (!page?.cursor || page.cursor === cursor || some.length === 0) break
    cursor = page.cursor
  }
  return items
}

/** What one is notified of, and up to where everything was seen. */
async function settings(
  from: string,
  to: string,
  all: Moving,
  tell: (kind: 'settings' | 'unreadPosition', done: number) => void,
): Promise<void> {
  const found = await patiently(() =>
    query<{ preferences: Record<string, unknown> }>(
      'app.bsky.notification.getPreferences',
      {},
      { to: from },
    ),
  )
  if (found) {
    const { $type: _, ...preferences } = found.preferences
    const isDone = await written('app.bsky.notification.putPreferencesV2', preferences, to)
    isDone ? all.moved++ : all.failed++
    tell('settings', 1)
  }
  const seen = await patiently(() =>
    query<{ seenAt?: string }>(
      'app.bsky.notification.listNotifications',
      { limit: 1 },
      { to: from },
    ),
  )
  if (!seen?.seenAt) return
  const isDone = await written('app.bsky.notification.updateSeen', { seenAt: seen.seenAt }, to)
  isDone ? all.moved++ : all.failed++
  tell('unreadPosition', 1)
}

async function written(nsid: string, input: object, to: string): Promise<boolean> {
  const isDone = await patiently(async () => {
    await post(nsid, JSON.stringify(input), 'application/json', { to })
    return true
  })
  return isDone === true
}

/** Waits where the other side asks to; undefined if it refuses. @throws if the session or the way to it is gone */
async function patiently<T>(work: () => Promise<T>): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof SessionOverError) throw error
      const status = error instanceof CallError ? error.status : 0
      const mayPass = status === 0 || status === 429 || status >= 500
      if (!mayPass) return undefined
      if (tries >= MAX_TRIES) {
        if (status === 501) return undefined
        throw error
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * tries))
    }
  }
}
