// The official client's home screen, as far as its rules determine what is shown: the calls after sign-in in
// order; pages of 30 until there are 30 posts; a page without a cursor ends the feed permanently, and
// Discover follows; from then on Discover's newest item is used to check for new posts.

import type { AtUriString } from '@atproto/lex'
import { app } from '@bsky/sdk/lexicons'
import type { Account } from './account.ts'
import type { FeedViewPost } from './reading.ts'

const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
/** Every client requests this labeler. */
const MODERATION = 'did:plc:ar7c4by46qjdydhdevvrndac'
const PAGE = 30
const MOST_ATTEMPTS = 50

export type ClientAtHome = ReturnType<typeof clientAtHome>

export function clientAtHome(account: Account) {
  const { agent } = account
  const client = account.client()
  let posts: FeedViewPost[] = []
  let cursor: string | undefined
  let isAtEnd = false
  let pages = 0
  /** Number of posts from Following; the rest are from Discover. */
  let followed = 0

  function show(feed: readonly FeedViewPost[]): void {
    const seen = new Set(posts.map(keyOf))
    posts.push(...feed.filter((item) => !seen.has(keyOf(item))))
  }

  async function nextPage(): Promise<void> {
    const page = await client.call(app.bsky.feed.getTimeline, {
      limit: PAGE,
      ...(cursor && { cursor }),
    })
    pages++
    show(page.feed)
    followed = posts.length
    cursor = page.cursor
    if (cursor !== undefined) return
    isAtEnd = true
    const params = { feed: DISCOVER as AtUriString, limit: PAGE }
    show((await client.call(app.bsky.feed.getFeed, params)).feed)
  }

  /** Loads by itself while less than one more screen is available. */
  async function fill(): Promise<void> {
    const enough = posts.length + PAGE
    for (let i = 0; i < MOST_ATTEMPTS && !isAtEnd && posts.length < enough; i++) await nextPage()
  }

  async function refresh(): Promise<void> {
    posts = []
    cursor = undefined
    isAtEnd = false
    followed = 0
    await fill()
  }

  return {
    /** The calls before the feed. */
    async signIn(): Promise<void> {
      await client.call(app.bsky.actor.getProfile, { actor: account.did })
      await agent.app.bsky.actor.getPreferences()
      await account.raw('/xrpc/app.bsky.unspecced.getConfig')
      await client.call(app.bsky.notification.getUnreadCount, {})
      await account.raw(`/xrpc/app.bsky.labeler.getServices?dids=${MODERATION}&detailed=true`)
    },
    refresh,
    /** Scrolls until all of these were shown, or no more arrive. */
    async scrollPast(texts: readonly string[]): Promise<void> {
      const isPast = () => {
        const shown = new Set(posts.map(textOf))
        return texts.every((text) => shown.has(text))
      }
      for (let before = -1; !isAtEnd && !isPast() && before < posts.length; ) {
        before = posts.length
        await fill()
      }
    },
    async scrollToEnd(): Promise<void> {
      while (!isAtEnd) await fill()
    },
    /** Whether it offers new posts; if none are shown yet, it shows them. */
    async lookForNew(): Promise<boolean> {
      const { feed } = isAtEnd
        ? await client.call(app.bsky.feed.getFeed, { feed: DISCOVER as AtUriString, limit: 1 })
        : await client.call(app.bsky.feed.getTimeline, { limit: 1 })
      const [newest] = feed
      const isNew = newest !== undefined && !posts.some((one) => keyOf(one) === keyOf(newest))
      if (isNew && posts.length === 0) await refresh()
      return isNew
    },
    posts: () => posts,
    texts: () => posts.map(textOf),
    /** Without Discover's posts below the end. */
    followingTexts: () => posts.slice(0, followed).map(textOf),
    /** Claims shown as facts that may be untrue. */
    misleading: () => posts.flatMap(misleadingIn),
    isAtEnd: () => isAtEnd,
    pages: () => pages,
  }
}

function textOf({ post }: FeedViewPost): string {
  return String((post.record as { text?: unknown }).text)
}

function keyOf({ post, reason }: FeedViewPost): string {
  return `${post.uri} ${JSON.stringify(reason ?? '')}`
}

function misleadingIn(item: FeedViewPost): string[] {
  const json = JSON.stringify(item)
  const signs = ['handle.invalid', 'viewNotFound', 'notFoundPost']
  return signs.filter((sign) => json.includes(sign)).map((sign) => `${sign} on ${item.post.uri}`)
}
