// A post on the reading page: author, time, text with links, pictures and quoted content. All text is set as
// text; URLs other than http(s) do not become links.

import { element, relativeTime } from './dom.ts'

export type Author = { did: string; handle: string; displayName?: string; avatar?: string }
type Label = { val: string }
type Feature = { $type: string; uri?: string; did?: string; tag?: string }
type Facet = { index: { byteStart: number; byteEnd: number }; features: Feature[] }
type Image = { thumb: string; fullsize: string; alt: string; aspectRatio?: Size }
type Size = { width: number; height: number }
type Embed = {
  $type: string
  images?: Image[]
  items?: Image[]
  external?: { uri: string; title: string; description: string; thumb?: string }
  record?: Quoted & { record?: Quoted }
  media?: Embed
  thumbnail?: string
  alt?: string
}
type Quoted = {
  $type?: string
  uri?: string
  author?: Author
  value?: { text?: string }
  displayName?: string
  name?: string
}
export type Post = {
  uri: string
  author: Author
  record: { text?: string; createdAt?: string; facets?: Facet[]; langs?: string[] }
  embed?: Embed
  labels?: Label[]
  indexedAt: string
  replyCount?: number
  repostCount?: number
  likeCount?: number
}
export type FeedItem = { post: Post; reason?: Reason }
type Reason = { $type: string; by?: Author }
export type ThreadNode = {
  $type: string
  post?: Post
  parent?: ThreadNode
  replies?: ThreadNode[]
  notFound?: boolean
  blocked?: boolean
}

/** Labels whose pictures are shown only on request. */
const COVERING = new Set(['porn', 'sexual', 'nudity', 'graphic-media', '!warn', '!hide'])
const MAX_DEPTH = 12

export function postCard(post: Post, reason?: Reason): HTMLElement {
  const { author, record, embed, labels = [] } = post
  const by = reason?.$type.endsWith('#reasonRepost') ? reason.by : undefined
  const cover = labels.map(({ val }) => val).find((val) => COVERING.has(val))
  const visible = embed && embedParts(embed)
  return element(
    'article',
    { class: 'post' },
    by && element('p', { class: 'repost' }, `Reposted by ${nameOf(by)}`),
    element(
      'div',
      { class: 'post-head' },
      face(author),
      personLink(author),
      whenLink(post, record.createdAt ?? post.indexedAt),
    ),
    element('p', { class: 'text', dir: 'auto', lang: record.langs?.[0] }, ...words(record)),
    ...(visible && cover ? [covered(cover, visible)] : (visible ?? [])),
    element('p', { class: 'tally' }, tally(post)),
  )
}

/** The ancestors, the post and its replies, as nested lists. */
export function threadCards(node: ThreadNode): HTMLElement {
  const above: ThreadNode[] = []
  for (let threadNode = node.parent; threadNode; threadNode = threadNode.parent)
    above.unshift(threadNode)
  return element(
    'div',
    { class: 'thread' },
    ...above.map(nodeCard),
    element('div', { class: 'focus' }, nodeCard(node)),
    replyList(node, 0),
  )
}

function replyList({ replies = [] }: ThreadNode, depth: number): HTMLElement | undefined {
  if (replies.length === 0 || depth > MAX_DEPTH) return undefined
  const items = replies.map((reply) =>
    element('li', {}, nodeCard(reply), replyList(reply, depth + 1)),
  )
  return element('ol', { class: 'posts replies' }, ...items)
}

function nodeCard(node: ThreadNode): HTMLElement {
  if (node.post) return postCard(node.post)
  const why = node.blocked ? 'This post is hidden by a block.' : 'This post is not here.'
  return element('p', { class: 'post gone' }, why)
}

export function face({ avatar, displayName, handle }: Author): HTMLElement {
  if (avatar) {
    return element('img', {
      class: 'face',
      src: avatar,
      alt: '',
      loading: 'lazy',
      width: 40,
      height: 40,
    })
  }
  const initial = (displayName || handle).slice(0, 1).toUpperCase()
  return element('span', { class: 'face', 'aria-hidden': 'true' }, initial)
}

export function personLink(author: Author): HTMLElement {
  return element(
    'a',
    { class: 'who', href: `/read?${new URLSearchParams({ profile: author.did })}` },
    element('b', { dir: 'auto' }, author.displayName || author.handle),
    ' ',
    element('span', {}, `@${author.handle}`),
  )
}

export function nameOf({ displayName, handle }: Author): string {
  return displayName || `@${handle}`
}

function whenLink({ uri }: Post, at: string): HTMLElement {
  return element(
    'a',
    { class: 'when', href: `/read?${new URLSearchParams({ post: uri })}` },
    relativeTime(at),
  )
}

/** Facets count UTF-8 bytes. Those that overlap or lie behind the text are left out. */
function words({ text = '', facets = [] }: Post['record']): (Node | string)[] {
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder()
  const parts: (Node | string)[] = []
  let at = 0
  const sorted = [...facets].sort((a, b) => a.index.byteStart - b.index.byteStart)
  for (const { index, features } of sorted) {
    const { byteStart } = index
    const byteEnd = Math.min(index.byteEnd, bytes.length)
    const href = features.map(hrefOf).find((value) => value !== undefined)
    if (byteStart < at || byteEnd <= byteStart || !href) continue
    parts.push(decoder.decode(bytes.subarray(at, byteStart)))
    parts.push(linkTo(href, decoder.decode(bytes.subarray(byteStart, byteEnd))))
    at = byteEnd
  }
  parts.push(decoder.decode(bytes.subarray(at)))
  return parts
}

function hrefOf({ uri, did }: Feature): string | undefined {
  if (did !== undefined) return `/read?${new URLSearchParams({ profile: did })}`
  return uri !== undefined && /^https?:\/\//.test(uri) ? uri : undefined
}

function linkTo(href: string, text: string): HTMLElement {
  const isOurs = href.startsWith('/')
  return element('a', isOurs ? { href } : { href, rel: 'noopener noreferrer nofollow' }, text)
}

function covered(label: string, visible: HTMLElement[]): HTMLElement {
  return element('details', {}, element('summary', {}, `Labelled “${label}”: show`), ...visible)
}

function embedParts(embed: Embed): HTMLElement[] {
  const { images, items, external, record, media, thumbnail, alt } = embed
  const pictures = images ?? items
  const quoted = record?.record ?? record
  return [
    ...(media ? embedParts(media) : []),
    ...(pictures ? [pictureRow(pictures)] : []),
    ...(external ? [externalCard(external)] : []),
    ...(embed.$type === 'app.bsky.embed.video#view' ? [videoStill(thumbnail, alt)] : []),
    ...(quoted ? [quotedCard(quoted)] : []),
  ]
}

function pictureRow(images: Image[]): HTMLElement {
  const visible = images.map(({ thumb, fullsize, alt, aspectRatio }) => {
    const { width, height } = aspectRatio ?? {}
    const image = element('img', { src: thumb, alt, loading: 'lazy', width, height })
    return element('a', { href: fullsize, 'aria-label': alt || 'Picture' }, image)
  })
  return element('div', { class: 'pictures' }, ...visible)
}

function videoStill(thumbnail: string | undefined, alt = 'Video'): HTMLElement {
  const image = thumbnail && element('img', { src: thumbnail, alt, loading: 'lazy' })
  return element('p', { class: 'still' }, image || undefined, 'A video: open it in a client.')
}

function externalCard({ uri, title, description }: NonNullable<Embed['external']>): HTMLElement {
  const isWeb = /^https?:\/\//.test(uri)
  return element(
    'div',
    { class: 'quoted' },
    isWeb ? linkTo(uri, title || uri) : element('b', {}, title || uri),
    element('p', { dir: 'auto' }, description),
  )
}

function quotedCard({ author, value, uri, displayName, name }: Quoted): HTMLElement {
  if (!author || !uri) {
    const words = displayName ?? name ?? 'The quoted post is not here.'
    return element('div', { class: 'quoted' }, element('p', { dir: 'auto' }, words))
  }
  return element(
    'blockquote',
    { class: 'quoted' },
    personLink(author),
    element('p', { class: 'text', dir: 'auto' }, value?.text ?? ''),
    element('a', { href: `/read?${new URLSearchParams({ post: uri })}` }, 'Open the quoted post'),
  )
}

function tally({ replyCount = 0, repostCount = 0, likeCount = 0 }: Post): string {
  const run = (count: number, word: string, many: string) => `${count} ${count === 1 ? word : many}`
  return [
    run(replyCount, 'reply', 'replies'),
    run(repostCount, 'repost', 'reposts'),
    run(likeCount, 'like', 'likes'),
  ].join(' · ')
}
