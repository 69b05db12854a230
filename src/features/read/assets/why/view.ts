// Why a post is in one's own timeline, or not, and what share of posts a lossy timeline takes: what the operator's
// explore page knows, for whoever is signed in, about themselves alone.

import { ask } from '../page/api.ts'
import { el } from '../page/dom.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { type Post, postCard } from '../posts/post.ts'
import { phrase, reasonPhrase } from './words.ts'

type Reasons = { isThere: boolean; reasons: string[]; reposts?: number; share: number }

/** @param uri - at-URI of the post; undefined: about the timeline as a whole */
export function whyView(uri: string | undefined): View {
  const node = el('div', {})
  const first = (uri ? aboutPost(uri) : aboutTimeline()).then((parts) =>
    node.append(...parts, form(), el('p', { class: 'aside' }, phrase('alone'))),
  )
  return { title: t('lossyWhy'), node, first: first.then(() => undefined) }
}

async function aboutPost(uri: string): Promise<HTMLElement[]> {
  const [{ isThere, reasons, reposts = 0, share }, { posts }] = await Promise.all([
    ask<Reasons>('io.slipstream.feed.getPostReasons', { uri }),
    ask<{ posts: Post[] }>('app.bsky.feed.getPosts', { uris: [uri] }).catch(() => ({ posts: [] })),
  ])
  const lines = reasons.flatMap((reason) => reasonPhrase(reason, reposts) ?? [])
  return [
    ...posts.map((post) => postCard(post)),
    el('p', {}, el('strong', {}, phrase(isThere ? 'there' : 'notThere'))),
    el('ul', {}, ...lines.map((line) => el('li', {}, line))),
    shareLine(share),
  ]
}

async function aboutTimeline(): Promise<HTMLElement[]> {
  const { share } = await ask<{ share: number }>('io.slipstream.feed.getTimelineState')
  return [shareLine(share)]
}

function shareLine(share: number): HTMLElement {
  const words =
    share >= 1_000 ? phrase('whole') : phrase('share', { percent: Math.round(share / 10) })
  return el('p', {}, words)
}

function form(): HTMLElement {
  const input = el('input', { id: 'post-address', required: true, dir: 'ltr', autocomplete: 'off' })
  const problem = el('p', { class: 'problem', role: 'alert' })
  const look = (event: Event) => {
    event.preventDefault()
    const uri = postUriIn(input.value)
    problem.textContent = uri ? '' : phrase('noAddress')
    const detail = `/read/why?${new URLSearchParams({ uri: uri ?? '' })}`
    if (uri) dispatchEvent(new CustomEvent('go', { detail }))
  }
  return el(
    'form',
    { class: 'row wrap', onsubmit: look },
    el('label', { for: 'post-address' }, phrase('address')),
    input,
    el('button', { type: 'submit' }, t('lossyWhy')),
    problem,
  )
}

/** From an at-URI, or from an address of this client or another one. */
function postUriIn(text: string): string | undefined {
  const path = URL.parse(text.trim())?.pathname.split('/') ?? []
  const [, actor, kind, key] = path.slice(path.indexOf('profile'))
  if (kind === 'post' && actor && key)
    return `at://${actor.replaceAll(/%3a/gi, ':')}/app.bsky.feed.post/${key}`
  return /^at:\/\/[^/\s]{1,300}\/app\.bsky\.feed\.post\/[^/\s?#]{1,100}$/.exec(text.trim())?.[0]
}
