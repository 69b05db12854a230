// Notifications: what happened, with the post that it happened to, and groups of them as one row. Looking at them
// marks them seen, also on the member's other devices.

import type { AppBskyNotificationListNotifications } from '@atproto/api'
import { ask, tell } from '../page/api.ts'
import { byId, el, link } from '../page/dom.ts'
import { endless } from '../page/endless.ts'
import { ago } from '../page/locale.ts'
import type { View } from '../page/view.ts'
import { type Key, t } from '../page/words.ts'
import { byline, face, nameOf, profilePath } from '../people/people.ts'
import { judgedProfile } from '../people/preferences.ts'
import { postPath } from '../posts/embeds.ts'
import { type Post, postCard } from '../posts/post.ts'
import { groupsOf } from './groups.ts'
import { browserPush } from './push.ts'

type Notification = AppBskyNotificationListNotifications.Notification

const WORDS: Record<string, Key> = {
  like: 'liker',
  repost: 'reposter',
  follow: 'follower',
  mention: 'mentioner',
  reply: 'replier',
  quote: 'quoter',
  'like-via-repost': 'viaLiker',
  'repost-via-repost': 'viaReposter',
  'subscribed-post': 'poster',
  'starterpack-joined': 'joiner',
  verified: 'verifier',
  unverified: 'unverifier',
}
/** Where the verb is another one for several accounts. */
const WORDS_OF_SEVERAL: Record<string, Key> = {
  repost: 'reposters',
  follow: 'followers',
  'repost-via-repost': 'viaReposters',
}
/** Their own record is the post to show. */
const WRITTEN = ['mention', 'reply', 'quote', 'subscribed-post']
const LOOK_EVERY_MS = 30_000
const AT_ONCE = 25

export function notificationsView(): View {
  const list = el('ol', { class: 'feed' })
  const { node, first, more } = endless(list, async (cursor) => {
    const page = await ask<{ notifications: Notification[]; cursor?: string }>(
      'app.bsky.notification.listNotifications',
      { limit: 40, cursor },
    )
    const posts = await postsOf(page.notifications)
    if (cursor === undefined) void markSeen(page.notifications[0]?.indexedAt)
    const visible = page.notifications.filter(
      ({ author }) => !judgedProfile(author).ui('contentList').filter,
    )
    return { nodes: groupsOf(visible).map((group) => row(group, posts)), cursor: page.cursor }
  })
  return { title: t('notifications'), node: el('div', {}, browserPush(), node), first, more }
}

async function postsOf(notifications: readonly Notification[]): Promise<Map<string, Post>> {
  const uris = [...new Set(notifications.map(postUriOf).filter((uri) => uri !== undefined))]
  const found = new Map<string, Post>()
  for (let i = 0; i < uris.length; i += AT_ONCE) {
    const { posts } = await ask<{ posts: Post[] }>('app.bsky.feed.getPosts', {
      uris: uris.slice(i, i + AT_ONCE),
    }).catch(() => ({ posts: [] }))
    for (const post of posts) found.set(post.uri, post)
  }
  return found
}

function postUriOf({ reason, uri, reasonSubject }: Notification): string | undefined {
  const about = WRITTEN.includes(reason) ? uri : reasonSubject
  return about?.includes('/app.bsky.feed.post/') ? about : undefined
}

function row(
  group: readonly [Notification, ...Notification[]],
  posts: ReadonlyMap<string, Post>,
): HTMLElement {
  const [notification] = group
  const { author, reason, indexedAt } = notification
  const isRead = group.every((each) => each.isRead)
  const post = posts.get(postUriOf(notification) ?? '')
  const others = new Set(group.map(({ author }) => author.did)).size - 1
  const shape = (others > 0 && WORDS_OF_SEVERAL[reason]) || WORDS[reason] || 'otherReason'
  const words = t(shape, { name: namesOf(author, others), reason })
  const to = post ? postPath(post.uri) : profilePath(author)
  const head = el(
    'div',
    { class: 'post-head' },
    face(author, 24),
    link(to, { dir: 'auto', class: 'what' }, words),
    el('time', { class: 'when', datetime: indexedAt, dir: 'auto' }, ago(indexedAt)),
  )
  const body = post && (WRITTEN.includes(reason) ? postCard(post) : excerpt(post))
  return el(
    'li',
    { class: isRead ? 'notice-row' : 'notice-row unread' },
    head,
    reason === 'follow' ? byline(author) : undefined,
    body,
  )
}

/** The newest by name, the others by number. */
function namesOf(author: Notification['author'], count: number): string {
  const name = nameOf(author)
  return count === 0 ? name : t('andOthers', { name, count })
}

function excerpt(post: Post): HTMLElement {
  const { text = '' } = post.record as { text?: string }
  return el('p', { class: 'aside', dir: 'auto' }, text.slice(0, 200))
}

/** @param newest - what is shown is seen, also if this device's clock is behind */
async function markSeen(newest = ''): Promise<void> {
  const now = new Date().toISOString()
  const seenAt = newest > now ? newest : now
  await tell('app.bsky.notification.updateSeen', { seenAt }).catch(() => {})
  showCount(0)
}

function showCount(count: number): void {
  const position = byId('unread')
  position.textContent = count > 0 ? String(count) : ''
  position.setAttribute('aria-label', count > 0 ? t('unread', { count }) : '')
  position.hidden = count === 0
  const { setAppBadge, clearAppBadge } = navigator
  void (count > 0 ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator))?.catch(
    () => {},
  )
}

/** Keeps the number beside the link to this page. @returns a function that ends it */
export function watchUnread(): () => void {
  const look = async () => {
    if (document.visibilityState !== 'visible') return
    const found = await ask<{ count: number }>('app.bsky.notification.getUnreadCount').catch(
      () => undefined,
    )
    if (found) showCount(found.count)
  }
  void look()
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
