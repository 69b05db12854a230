// A post with what it replies to above it and its replies below.

import type { AppBskyFeedDefs } from '@atproto/api'
import { ask, me } from '../page/api.ts'
import { el } from '../page/dom.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { nameOf } from '../people/people.ts'
import { isLeftOut, type Post, postCard } from './post.ts'
import { showStats } from './video.ts'

type Node = Omit<AppBskyFeedDefs.ThreadViewPost, '$type'> & { $type?: string }

export function threadView(uri: string): View {
  const node = el('div', { class: 'thread' })
  const first = ask<{ thread: Node }>('app.bsky.feed.getPostThread', {
    uri,
    depth: 8,
    parentHeight: 40,
  }).then(({ thread }) => {
    node.replaceChildren(...ancestors(thread), ...complete(thread, true))
    const post = thread.post as Post | undefined
    if (post?.author.did === me()) void showStats(node, uri)
    if (post) document.title = `${nameOf(post.author)} · Slipstream`
    node.querySelector('.focus')?.scrollIntoView({ block: 'center' })
  })
  return { title: t('thread'), node, first, showsPosted: true }
}

function ancestors(thread: Node): HTMLElement[] {
  const above: HTMLElement[] = []
  for (let at = thread.parent as Node | undefined; at; at = at.parent as Node | undefined)
    above.unshift(single(at))
  return above
}

function single(node: Node, isFocus = false): HTMLElement {
  if (node.$type === 'app.bsky.feed.defs#blockedPost')
    return el('p', { class: 'gone' }, t('blockedPost'))
  if (!node.post) return el('p', { class: 'gone' }, t('gone'))
  return postCard(node.post, { isFocus })
}

function complete(node: Node, isFocus = false): HTMLElement[] {
  const replies = ((node.replies ?? []) as Node[]).filter(({ post }) => post && !isLeftOut(post))
  if (replies.length === 0) return [single(node, isFocus)]
  return [
    single(node, isFocus),
    el('ol', { class: 'replies' }, ...replies.map((reply) => el('li', {}, ...complete(reply)))),
  ]
}
