// A post for visitors.

import { type Html, html } from '../../http/server/html.ts'
import { isWebAddress, richHtml } from './rich-html.ts'
import { type Author, isCovered, isHidden, type Post } from './visitor-rules.ts'
import type { Say } from './words.ts'

type Embed = { $type?: string; [field: string]: unknown }
type Picture = { thumb?: unknown; fullsize?: unknown; alt?: string }

/** As long as what people write; the rest is in the client. */
const MOST_CHARACTERS = 2_000

export function nameOf({ displayName, handle, did }: Author): string {
  return displayName?.trim() || handleOf({ handle, did })
}

/** An unverified handle is never shown. */
export function handleOf({ handle, did }: Pick<Author, 'handle' | 'did'>): string {
  return handle === 'handle.invalid' ? did : `@${handle}`
}

export function profilePath({ handle, did }: Pick<Author, 'handle' | 'did'>): string {
  return `/profile/${handle === 'handle.invalid' ? encodeURIComponent(did) : handle}`
}

export function postPath({ uri, author }: Pick<Post, 'uri' | 'author'>): string {
  return `${profilePath(author)}/post/${encodeURIComponent(uri.split('/').at(-1)!)}`
}

export function textOf({ record }: Post): string {
  const { text } = record as { text?: unknown }
  return typeof text === 'string' ? text : ''
}

export function postHtml(post: Post, say: Say, { isFocus = false } = {}): Html {
  const { author, record, indexedAt } = post
  const { facets } = record as { facets?: unknown }
  return html`<article class="${isFocus ? 'post focus' : 'post'}">
<header>${face(author)}<a class="who" href="${profilePath(author)}"><b dir="auto">${nameOf(author)}</b> <span><bdi>${handleOf(author)}</bdi></span></a>
<a class="when" href="${postPath(post)}"><time datetime="${indexedAt}">${dateOf(indexedAt)}</time></a></header>
<p class="text" dir="auto">${richHtml(textOf(post), facets)}</p>
${isCovered(post) ? html`<p class="aside">${say('covered')}</p>` : embedHtml(post.embed as Embed | undefined, say)}
</article>`
}

/** Dates in the form that everybody reads alike. */
function dateOf(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`
}

export function face({ avatar }: Author): Html {
  if (!isWebAddress(avatar)) return html`<span class="face"></span>`
  return html`<img class="face" src="${avatar}" alt="" width="40" height="40" loading="lazy">`
}

function embedHtml(embed: Embed | undefined, say: Say): Html | undefined {
  if (!embed) return undefined
  if (embed.$type === 'app.bsky.embed.recordWithMedia#view') {
    const { record } = embed['record'] as { record: Embed }
    return html`${embedHtml(embed['media'] as Embed, say)}${quoteHtml(record, say)}`
  }
  if (embed.$type === 'app.bsky.embed.record#view') return quoteHtml(embed['record'] as Embed, say)
  if (embed.$type === 'app.bsky.embed.external#view') return cardHtml(embed['external'] as Embed)
  if (embed.$type === 'app.bsky.embed.video#view') return stillHtml(embed, say)
  // The alternative text names the link around the picture.
  return html`${picturesOf(embed).map(
    ({ thumb, fullsize, alt = '' }) =>
      html`<a href="${fullsize as string}"><img class="picture" src="${thumb as string}" alt="${cut(alt) || say('noAlt')}" loading="lazy"></a>`,
  )}`
}

/** Pictures with addresses of the web. */
function picturesOf(embed: Embed | undefined): Picture[] {
  const media =
    embed?.$type === 'app.bsky.embed.recordWithMedia#view' ? (embed['media'] as Embed) : embed
  const images = (media?.['images'] ?? media?.['items'] ?? []) as Picture[]
  return images.filter(({ thumb, fullsize }) => isWebAddress(thumb) && isWebAddress(fullsize))
}

/** A picture for previews of links to the post; undefined if it has none, or a label covers it. */
export function previewOf(post: Post): { url: string; alt: string } | undefined {
  if (isCovered(post)) return undefined
  const [first] = picturesOf(post.embed as Embed | undefined)
  const { thumbnail, external } = (post.embed ?? {}) as {
    thumbnail?: unknown
    external?: { thumb?: unknown }
  }
  const url = first?.fullsize ?? thumbnail ?? external?.thumb
  return isWebAddress(url) ? { url, alt: cut(first?.alt ?? '') } : undefined
}

function cardHtml({ uri, title, description }: Embed): Html | undefined {
  if (!isWebAddress(uri)) return undefined
  return html`<p class="card"><a href="${uri}" rel="nofollow ugc noopener">${cut(String(title || uri))}</a><br><span class="aside">${cut(String(description ?? ''))}</span></p>`
}

function cut(text: string): string {
  return text.slice(0, MOST_CHARACTERS).toWellFormed()
}

function stillHtml({ thumbnail, alt }: Embed, say: Say): Html {
  const text = typeof alt === 'string' && alt !== '' ? cut(alt) : say('video')
  return isWebAddress(thumbnail)
    ? html`<img class="picture" src="${thumbnail}" alt="${text}" loading="lazy">`
    : html`<p class="aside">${text}</p>`
}

function quoteHtml(record: Embed, say: Say): Html {
  const { $type, author, value, labels, uri } = record as Embed & {
    author?: Author
    value?: { text?: unknown; facets?: unknown }
    labels?: Post['labels']
    uri?: string
  }
  const isVisible =
    $type === 'app.bsky.embed.record#viewRecord' &&
    author &&
    !isHidden({ author, ...(labels && { labels }) })
  if (!isVisible || typeof uri !== 'string')
    return html`<p class="quoted aside">${say('hiddenRecord')}</p>`
  const text = typeof value?.text === 'string' ? value.text : ''
  const address = `${profilePath(author)}/post/${encodeURIComponent(uri.split('/').at(-1)!)}`
  return html`<blockquote class="quoted"><a href="${address}"><b dir="auto">${nameOf(author)}</b></a><p class="text" dir="auto">${richHtml(text, value?.facets)}</p></blockquote>`
}
