// The row of controls below a post. Each changes at once, is written by the member's PDS, goes back if that
// fails, and can be undone.

import type { AppBskyFeedDefs } from '@atproto/api'
import { me, tell } from '../page/api.ts'
import { button, el } from '../page/dom.ts'
import { compact } from '../page/locale.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'
import { handleOf } from '../people/people.ts'
import { block, like, remove, repost } from './records.ts'
import { compose } from './writer.ts'

type Post = AppBskyFeedDefs.PostView

export function actionsOf(post: Post, card: HTMLElement): HTMLElement {
  const ref = { uri: post.uri, cid: post.cid }
  const likes = toggle('like', '♡♥', post.likeCount, post.viewer?.like, {
    on: () => like(ref),
    done: t('liked'),
  })
  const reposts = toggle('repost', '⟲⟲', post.repostCount, post.viewer?.repost, {
    on: () => repost(ref),
    done: t('reposted'),
  })
  const reply = iconButton('reply', '↩', post.replyCount, () => compose({ replyTo: post }))
  reply.disabled = post.viewer?.replyDisabled === true
  const quote = iconButton('quote', '❝', post.quoteCount, () => compose({ quote: post }))
  quote.disabled = post.viewer?.embeddingDisabled === true
  return el(
    'footer',
    { class: 'actions' },
    reply,
    reposts,
    quote,
    likes,
    bookmarkOf(post),
    menuOf(post, card),
  )
}

type Icon = 'reply' | 'repost' | 'quote' | 'like' | 'bookmark'

function iconButton(
  key: Icon,
  icon: string,
  count: number | undefined,
  onclick: () => void,
): HTMLButtonElement {
  const made = el(
    'button',
    { type: 'button', class: `act act-${key}`, title: t(key), onclick },
    el('span', { 'aria-hidden': 'true', class: 'icon' }, icon),
    el('span', { class: 'unseen' }, t(key)),
    el('span', { class: 'count' }, count ? compact(count) : ''),
  )
  return made
}

/** @param icons - while it is off, and while it is on: not everybody sees the colour */
function toggle(
  key: 'like' | 'repost',
  icons: string,
  count = 0,
  existing: string | undefined,
  { on, done }: { on: () => Promise<{ uri: string }>; done: string },
): HTMLButtonElement {
  let record = existing
  let visible = count
  let isBusy = false
  const made = iconButton(key, '', count, () => void flip())
  const show = (isOn: boolean) => {
    press(made, icons, isOn)
    made.querySelector('.count')!.textContent = visible > 0 ? compact(visible) : ''
  }
  async function set(isOn: boolean): Promise<void> {
    const before = { record, shown: visible }
    visible += isOn ? 1 : -1
    show(isOn)
    try {
      if (isOn) record = (await on()).uri
      else {
        await remove(record!)
        record = undefined
      }
    } catch (error) {
      record = before.record
      visible = before.shown
      show(record !== undefined)
      throw error
    }
  }
  async function flip(): Promise<void> {
    if (isBusy) return
    isBusy = true
    const isOn = record === undefined
    if (await attempt(() => set(isOn))) toast(isOn ? done : t('undone'), () => set(!isOn))
    isBusy = false
  }
  show(record !== undefined)
  return made
}

function press(made: HTMLButtonElement, icons: string, isOn: boolean): void {
  made.setAttribute('aria-pressed', String(isOn))
  made.querySelector('.icon')!.textContent = icons[isOn ? 1 : 0]!
}

function bookmarkOf({ uri, cid, viewer }: Post): HTMLButtonElement {
  let isOn = viewer?.bookmarked === true
  const made = iconButton('bookmark', '', undefined, () => void flip())
  const show = () => press(made, '⚐⚑', isOn)
  async function set(to: boolean): Promise<void> {
    if (to) await tell('app.bsky.bookmark.createBookmark', { uri, cid })
    else await tell('app.bsky.bookmark.deleteBookmark', { uri })
    isOn = to
    show()
  }
  async function flip(): Promise<void> {
    const to = !isOn
    if (await attempt(() => set(to))) toast(to ? t('bookmarked') : t('undone'), () => set(!to))
  }
  show()
  return made
}

/** Mute, block and delete, one step away from the rest. */
function menuOf(post: Post, card: HTMLElement): HTMLElement {
  const { author } = post
  const items =
    author.did === me()
      ? [button(t('delete'), () => void attempt(() => erase(post, card)))]
      : strangers(author, card)
  const menu = el(
    'details',
    { class: 'menu' },
    el('summary', { 'aria-label': t('options') }, '…'),
    el('div', { class: 'menu-items' }, ...items),
  )
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    menu.open = false
    menu.querySelector('summary')!.focus()
  })
  return menu
}

function strangers(author: Post['author'], card: HTMLElement): HTMLElement[] {
  const name = handleOf(author)
  return [
    button(t('mute'), () => void muteAccount(author.did, name, card)),
    button(t('block'), () => void blockAccount(author.did, name, card)),
  ]
}

export async function muteAccount(did: string, name: string, card?: HTMLElement): Promise<void> {
  const done = await attempt(() => tell('app.bsky.graph.muteActor', { actor: did }))
  if (!done) return
  const showThem = card && hidePostsBy(did)
  toast(t('muted', { name }), async () => {
    await tell('app.bsky.graph.unmuteActor', { actor: did })
    showThem?.()
  })
}

export async function blockAccount(did: string, name: string, card?: HTMLElement): Promise<void> {
  let uri = ''
  const done = await attempt(async () => {
    uri = (await block(did)).uri
  })
  if (!done) return
  const showThem = card && hidePostsBy(did)
  toast(t('blocked', { name }), async () => {
    await remove(uri)
    showThem?.()
  })
}

/** All of them on the page. @returns shows them again */
function hidePostsBy(did: string): () => void {
  const posts = [
    ...document.querySelectorAll<HTMLElement>(`.post[data-uri^="at://${did}/"]:not([hidden])`),
  ]
  for (const one of posts) one.hidden = true
  return () => posts.forEach(showAgain)
}

function showAgain(card: HTMLElement): void {
  card.hidden = false
  card.querySelector<HTMLDetailsElement>('.menu')!.open = false
}

async function erase({ uri }: Post, card: HTMLElement): Promise<void> {
  const deletions = await import('./deletions.ts')
  deletions.erase(uri, card, showAgain)
}
