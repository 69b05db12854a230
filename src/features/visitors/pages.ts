// The pages: a profile, a post, a list and a hashtag, each made from answers of our own methods.

import type { AppBskyActorDefs, AppBskyFeedDefs, AppBskyGraphDefs } from '@atproto/api'
import { inParts } from '../../base/util/turn.ts'
import { type Html, html } from '../../http/server/html.ts'
import { type Ask, NotVisibleError } from './ask.ts'
import type { About } from './document.ts'
import {
  face,
  handleOf,
  nameOf,
  postHtml,
  postPath,
  previewOf,
  profilePath,
  textOf,
} from './post-html.ts'
import { isWebAddress } from './rich-html.ts'
import { isCovered, isForMembers, isHidden, type Post } from './visitor-rules.ts'
import type { Say } from './words.ts'

type Feed = { feed: AppBskyFeedDefs.FeedViewPost[]; cursor?: string }
type Profile = AppBskyActorDefs.ProfileViewDetailed
type Thread = { post?: Post; parent?: Thread; replies?: Thread[] }

const LIMIT = '30'
const MAX_DESCRIPTION = 300
const MAX_REPLIES = 200

/** @throws NotVisibleError if it does not exist, or is not for visitors */
export async function readProfile(ask: Ask, actor: string): Promise<Profile> {
  const profile = await ask<Profile>('app.bsky.actor.getProfile', { actor })
  if (isForMembers(profile as never) || isHidden({ author: profile as never }))
    throw new NotVisibleError(403)
  return profile
}

/** Own posts that visitors may see, newest first; reposts are left out. */
export async function readPosts(
  ask: Ask,
  actor: string,
  cursor?: string,
): Promise<{ posts: Post[]; cursor?: string }> {
  const query = { actor, limit: LIMIT, filter: 'posts_no_replies', cursor }
  const { feed, cursor: next } = await ask<Feed>('app.bsky.feed.getAuthorFeed', query)
  const posts = feed.filter(({ reason }) => !reason).map(({ post }) => post)
  return { posts: posts.filter((post) => !isHidden(post as never)), ...(next && { cursor: next }) }
}

export async function profilePage(ask: Ask, actor: string, cursor?: string): Promise<About> {
  const profile = await readProfile(ask, actor)
  const { posts, cursor: next } = await readPosts(ask, profile.did, cursor)
  const path = profilePath(profile)
  const { avatar, description = '' } = profile
  const image =
    isWebAddress(avatar) && !isCovered({ author: profile as never })
      ? { url: avatar, alt: '' }
      : undefined
  return {
    title: `${nameOf(profile as never)} (${handleOf(profile)})`,
    description: shortened(description),
    path,
    image,
    feed: `${path}/feed.atom`,
    shows: `at://${profile.did}`,
    kind: 'profile',
    client: `/read/profile/${encodeURIComponent(profile.did)}`,
    *main(say) {
      return html`<section class="profile">${face(profile as never)}<h1 dir="auto">${nameOf(profile as never)}</h1>
<p class="aside"><bdi>${handleOf(profile)}</bdi>${figures(profile, say)}</p><p class="text" dir="auto">${description}</p></section>
${yield* listOf(posts, say)}${older(path, next, say)}`
    },
  }
}

function figures({ postsCount, followersCount }: Profile, say: Say): string {
  const parts = [
    postsCount !== undefined && say('posts', { count: `${postsCount}` }),
    followersCount !== undefined && say('followers', { count: `${followersCount}` }),
  ].filter((part) => part !== false)
  return parts.length > 0 ? ` · ${parts.join(' · ')}` : ''
}

export async function postPage(ask: Ask, actor: string, rkey: string): Promise<About> {
  const uri = `at://${actor}/app.bsky.feed.post/${rkey}`
  const { thread } = await ask<{ thread: Thread }>('app.bsky.feed.getPostThread', {
    uri,
    depth: '3',
    parentHeight: '10',
  })
  const { post } = thread
  if (!post) throw new NotVisibleError(404)
  if (isHidden(post as never)) throw new NotVisibleError(403)
  const preview = previewOf(post)
  return {
    title: `${nameOf(post.author)}: ${shortened(textOf(post), 80)}`,
    description: shortened(textOf(post)),
    path: postPath(post),
    ...(preview && { image: preview }),
    feed: `${profilePath(post.author)}/feed.atom`,
    shows: post.uri,
    kind: 'article',
    published: post.indexedAt,
    client: `/read/profile/${encodeURIComponent(post.author.did)}/post/${encodeURIComponent(rkey)}`,
    *main(say) {
      const parents = yield* above(thread, say)
      const replies = yield* below(thread, say)
      return html`<h1 class="unseen">${say('postBy', { name: nameOf(post.author) })}</h1>${parents}${postHtml(post, say, { isFocus: true })}${replies}`
    },
  }
}

function* above({ parent }: Thread, say: Say): Generator<void, Html> {
  const posts: Post[] = []
  for (let at = parent; at?.post; at = at.parent) posts.unshift(at.post)
  const visible = yield* inParts(posts, (some) =>
    some.map((post) => (isHidden(post as never) ? notVisible(say) : postHtml(post, say))),
  )
  return html`${visible}`
}

const notVisible = (say: Say) => html`<p class="aside">${say('hiddenPost')}</p>`

/** Replies that are too many are in the client. */
function* below(thread: Thread, say: Say): Generator<void, Html> {
  const posts = visibleBelow(thread)
  const visible = yield* inParts(posts.slice(0, MAX_REPLIES), (some) =>
    some.map((thread) => [thread, postHtml(thread.post!, say)] as const),
  )
  const made = new Map(visible)
  const replies = treeOf(thread, made)
  return posts.length > MAX_REPLIES
    ? html`${replies}<p class="aside">${say('moreReplies')}</p>`
    : replies
}

/** In the order in which they are shown. */
function visibleBelow({ replies = [] }: Thread): Thread[] {
  const visible = replies.filter(({ post }) => post && !isHidden(post as never))
  return visible.flatMap((thread) => [thread, ...visibleBelow(thread)])
}

function treeOf({ replies = [] }: Thread, made: ReadonlyMap<Thread, Html>): Html {
  const visible = replies.filter((reply) => made.has(reply))
  if (visible.length === 0) return html``
  return html`<ol class="replies">${visible.map((thread) => html`<li>${made.get(thread)}${treeOf(thread, made)}</li>`)}</ol>`
}

export async function hashtagPage(ask: Ask, tag: string, cursor?: string): Promise<About> {
  const query = { q: `#${tag}`, tag, limit: LIMIT, sort: 'latest', cursor }
  const { posts, cursor: next } = await ask<{ posts: Post[]; cursor?: string }>(
    'app.bsky.feed.searchPosts',
    query,
  )
  const path = `/hashtag/${encodeURIComponent(tag)}`
  return {
    title: `#${tag}`,
    description: (say) => say('postsWith', { tag: `#${tag}` }),
    path,
    kind: 'website',
    client: `/read/search?q=${encodeURIComponent(`#${tag}`)}`,
    *main(say) {
      const visible = posts.filter((post) => !isHidden(post as never))
      return html`<h1 dir="auto">#${tag}</h1>${yield* listOf(visible, say)}${older(path, next, say)}`
    },
  }
}

export async function readList(ask: Ask, actor: string, rkey: string) {
  const profile = await readProfile(ask, actor)
  const uri = `at://${profile.did}/app.bsky.graph.list/${rkey}`
  const { list } = await ask<{ list: AppBskyGraphDefs.ListView }>('app.bsky.graph.getList', {
    list: uri,
    limit: '1',
  })
  const { feed } = await ask<Feed>('app.bsky.feed.getListFeed', { list: uri, limit: LIMIT })
  const posts = feed.map(({ post }) => post).filter((post) => !isHidden(post as never))
  return { list, posts, path: `${profilePath(profile)}/lists/${encodeURIComponent(rkey)}` }
}

export async function listPage(ask: Ask, actor: string, rkey: string): Promise<About> {
  const { list, posts, path } = await readList(ask, actor, rkey)
  return {
    title: list.name,
    description: shortened(list.description ?? ''),
    path,
    feed: `${path}/feed.atom`,
    shows: list.uri,
    kind: 'website',
    client: `/read/list?uri=${encodeURIComponent(list.uri)}`,
    *main(say) {
      return html`<h1 dir="auto">${list.name}</h1><p class="text" dir="auto">${list.description ?? ''}</p>${yield* listOf(posts, say)}`
    },
  }
}

function* listOf(posts: readonly Post[], say: Say): Generator<void, Html> {
  if (posts.length === 0) return html`<p class="aside">${say('none')}</p>`
  const items = yield* inParts(posts, (some) =>
    some.map((post) => html`<li>${postHtml(post, say)}</li>`),
  )
  return html`<ol class="posts">${items}</ol>`
}

function older(path: string, cursor: string | undefined, say: Say): Html | undefined {
  if (!cursor) return undefined
  return html`<p><a rel="next" href="${path}?cursor=${encodeURIComponent(cursor)}">${say('older')}</a></p>`
}

export function shortened(text: string, length = MAX_DESCRIPTION): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > length ? `${plain.slice(0, length - 1).toWellFormed()}…` : plain
}
