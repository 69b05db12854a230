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

export function clientAtHome(account: Account): ClientAtHome {
  return new ClientAtHome(account)
}

export class ClientAtHome {
  readonly #account: Account
  readonly #client: ReturnType<Account['client']>
  #posts: FeedViewPost[] = []
  #cursor: string | undefined
  #isAtEnd = false
  #pages = 0
  /** Number of posts from Following; the rest are from Discover. */
  #followed = 0

  constructor(account: Account) {
    this.#account = account
    this.#client = account.client()
  }

  posts = () => this.#posts
  texts = () => this.#posts.map(textOf)
  /** Without Discover's posts below the end. */
  followingTexts = () => this.#posts.slice(0, this.#followed).map(textOf)
  /** Claims shown as facts that may be untrue. */
  misleading = () => this.#posts.flatMap(misleadingIn)
  isAtEnd = () => this.#isAtEnd
  pages = () => this.#pages

  /** The calls before the feed. */
  async signIn(): Promise<void> {
    const { agent, did } = this.#account
    await this.#client.call(app.bsky.actor.getProfile, { actor: did })
    await agent.app.bsky.actor.getPreferences()
    await this.#account.raw('/xrpc/app.bsky.unspecced.getConfig')
    await this.#client.call(app.bsky.notification.getUnreadCount, {})
    await this.#account.raw(`/xrpc/app.bsky.labeler.getServices?dids=${MODERATION}&detailed=true`)
  }

  async refresh(): Promise<void> {
    this.#posts = []
    this.#cursor = undefined
    this.#isAtEnd = false
    this.#followed = 0
    await this.#fill()
  }

  /** Scrolls until all of these were shown, or no more arrive. */
  async scrollPast(texts: readonly string[]): Promise<void> {
    const isPast = () => {
      const visible = new Set(this.texts())
      return texts.every((text) => visible.has(text))
    }
    for (let before = -1; !this.#isAtEnd && !isPast() && before < this.#posts.length; ) {
      before = this.#posts.length
      await this.#fill()
    }
  }

  async scrollToEnd(): Promise<void> {
    while (!this.#isAtEnd) await this.#fill()
  }

  /** Whether it offers new posts; if none are shown yet, it shows them. */
  async lookForNew(): Promise<boolean> {
    const { feed } = this.#isAtEnd
      ? await this.#client.call(app.bsky.feed.getFeed, { feed: DISCOVER as AtUriString, limit: 1 })
      : await this.#client.call(app.bsky.feed.getTimeline, { limit: 1 })
    const [newest] = feed
    const isNew = newest !== undefined && !this.#posts.some((post) => keyOf(post) === keyOf(newest))
    if (isNew && this.#posts.length === 0) await this.refresh()
    return isNew
  }

  /** Loads by itself while less than one more screen is available. */
  async #fill(): Promise<void> {
    const enough = this.#posts.length + PAGE
    for (let i = 0; i < MOST_ATTEMPTS && !this.#isAtEnd && this.#posts.length < enough; i++) {
      await this.#nextPage()
    }
  }

  async #nextPage(): Promise<void> {
    const cursor = this.#cursor
    const params = { limit: PAGE, ...(cursor && { cursor }) }
    const page = await this.#client.call(app.bsky.feed.getTimeline, params)
    this.#pages++
    this.#show(page.feed)
    this.#followed = this.#posts.length
    this.#cursor = page.cursor
    if (page.cursor !== undefined) return
    this.#isAtEnd = true
    const discover = { feed: DISCOVER as AtUriString, limit: PAGE }
    this.#show((await this.#client.call(app.bsky.feed.getFeed, discover)).feed)
  }

  #show(feed: readonly FeedViewPost[]): void {
    const seen = new Set(this.#posts.map(keyOf))
    this.#posts.push(...feed.filter((item) => !seen.has(keyOf(item))))
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
