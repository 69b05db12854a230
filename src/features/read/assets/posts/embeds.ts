// What a post carries: pictures, a link, a video, a quoted post. Covered where moderation says so.

import type { AppBskyEmbedRecord, AppBskyFeedDefs } from '@atproto/api'
import { covered } from '../page/cover.ts'
import { type Child, el, isWebAddress, link, outsideLink } from '../page/dom.ts'
import { t } from '../page/words.ts'
import { byline, face, nameOf, type Person } from '../people/people.ts'
import { causeWords, judgedPost } from '../people/preferences.ts'
import { richText } from './rich-text.ts'
import { videoPlayer } from './video.ts'

type Embed = AppBskyFeedDefs.PostView['embed']
type Picture = {
  thumb: string
  fullsize: string
  alt: string
  aspectRatio?: { width: number; height: number }
}

const MAX_DEPTH = 2

export function embedNode(embed: Embed, isOwn: boolean, depth = 0): Child {
  const item = embed as { $type?: string; [field: string]: unknown } | undefined
  switch (item?.$type) {
    case 'app.bsky.embed.images#view':
      return pictures(item['images'] as Picture[])
    case 'app.bsky.embed.gallery#view':
      return pictures((item['items'] as Picture[]).filter(({ thumb }) => thumb))
    case 'app.bsky.embed.external#view':
      return card(item['external'] as Card)
    case 'app.bsky.embed.video#view':
      return videoPlayer(item as unknown as Parameters<typeof videoPlayer>[0], isOwn)
    case 'app.bsky.embed.record#view':
      return quoted(item['record'] as AppBskyEmbedRecord.View['record'], depth)
    case 'app.bsky.embed.recordWithMedia#view': {
      const { record } = item['record'] as AppBskyEmbedRecord.View
      return el('div', {}, embedNode(item['media'] as Embed, isOwn, depth), quoted(record, depth))
    }
    default:
      return undefined
  }
}

function pictures(images: readonly Picture[]): HTMLElement {
  const visible = images.filter(
    ({ thumb, fullsize }) => isWebAddress(thumb) && isWebAddress(fullsize),
  )
  return el('div', { class: `pictures of-${Math.min(visible.length, 4)}` }, ...visible.map(picture))
}

function picture({ thumb, fullsize, alt, aspectRatio }: Picture): HTMLElement {
  const size =
    aspectRatio && aspectRatio.width > 0 && aspectRatio.height > 0 ? aspectRatio : undefined
  const attributes = {
    src: thumb,
    alt: alt || t('noAlt'),
    title: alt || undefined,
    loading: 'lazy',
    decoding: 'async',
  }
  const image = el('img', { ...attributes, width: size?.width, height: size?.height })
  return el(
    'a',
    {
      href: fullsize,
      target: '_blank',
      rel: 'noopener noreferrer',
      'aria-label': alt || t('noAlt'),
    },
    image,
  )
}

type Card = { uri: string; title: string; description: string; thumb?: string }

function card({ uri, title, description, thumb }: Card): HTMLElement | undefined {
  const host = URL.parse(uri)?.host
  if (!isWebAddress(uri) || !host) return undefined
  const image =
    thumb &&
    isWebAddress(thumb) &&
    el('img', { src: thumb, alt: '', loading: 'lazy', decoding: 'async' })
  const words = el(
    'span',
    { class: 'card-words' },
    el('b', { dir: 'auto' }, title || uri),
    el('span', { class: 'aside', dir: 'auto' }, description),
    el('span', { class: 'aside' }, host),
  )
  const node = outsideLink(uri, image, words)
  node.classList.add('card')
  return node
}

function quoted(record: AppBskyEmbedRecord.View['record'], depth: number): HTMLElement | undefined {
  const item = record as { $type?: string; [field: string]: unknown }
  if (item.$type === 'app.bsky.embed.record#viewBlocked') return aside(t('blockedPost'))
  if (item.$type !== 'app.bsky.embed.record#viewRecord') return otherRecord(item)
  const { author, uri, cid, value, embeds, labels, indexedAt } =
    item as unknown as AppBskyEmbedRecord.ViewRecord
  const { text = '', facets } = value as { text?: string; facets?: [] }
  const [inner] = depth < MAX_DEPTH ? (embeds ?? []) : []
  const body = el(
    'div',
    { class: 'quoted-body' },
    el('p', { class: 'text', dir: 'auto' }, ...richText(text, facets)),
    embedNode(inner as Embed, false, depth + 1),
  )
  const post = { uri, cid, author, record: value, labels, indexedAt } as AppBskyFeedDefs.PostView
  const { blur, blurs } = judgedPost(post).ui('contentView')
  return el(
    'div',
    { class: 'quoted' },
    el('div', { class: 'post-head' }, face(author, 20), byline(author)),
    blur ? covered(body, causeWords(blurs)) : body,
    link(postPath(uri), { class: 'aside' }, t('thread')),
  )
}

function otherRecord(item: { $type?: string; [field: string]: unknown }): HTMLElement {
  const { record, creator } = item as { record?: { name?: unknown }; creator?: Person }
  const name = item['displayName'] ?? item['name'] ?? record?.name ?? (creator && nameOf(creator))
  if (typeof name !== 'string') return aside(t('gone'))
  const uri =
    item['$type'] === 'app.bsky.graph.defs#listView' &&
    typeof item['uri'] === 'string' &&
    item['uri']
  if (!uri) return el('div', { class: 'quoted', dir: 'auto' }, name)
  return el(
    'div',
    { class: 'quoted' },
    link(`/read/list?uri=${encodeURIComponent(uri)}`, { dir: 'auto' }, name),
  )
}

function aside(text: string): HTMLElement {
  return el('div', { class: 'quoted gone' }, text)
}

export function postPath(uri: string): string {
  const [, , did = '', , rkey = ''] = uri.split('/')
  return `/read/profile/${encodeURIComponent(did)}/post/${encodeURIComponent(rkey)}`
}
