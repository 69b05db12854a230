// A post's text with its facets, whose places are bytes of UTF-8, as HTML. Links lead to web addresses only.

import { type Html, html } from '../../http/server/html.ts'

type Feature = { $type?: string; did?: string; uri?: string; tag?: string }
type Facet = {
  index?: { byteStart?: number; byteEnd?: number }
  features?: readonly Feature[]
}

/** Facets that overlap or cut a character are left out. One that goes on behind the text ends with it, as elsewhere. */
export function richHtml(text: string, facets: unknown): Html {
  const bytes = Buffer.from(text)
  const parts: (Html | string)[] = []
  let at = 0
  for (const { start, end, features } of positioned(facets, bytes)) {
    if (start < at) continue
    parts.push(
      bytes.toString('utf8', at, start),
      linked(bytes.toString('utf8', start, end), features),
    )
    at = end
  }
  parts.push(bytes.toString('utf8', at))
  return html`${parts.map((part) => (typeof part === 'string' ? html`${part}` : part))}`
}

function positioned(facets: unknown, bytes: Buffer) {
  const isEdge = (at: number) => at === bytes.length || (bytes[at]! & 0xc0) !== 0x80
  return (Array.isArray(facets) ? (facets as Facet[]) : [])
    .map(({ index, features }) => ({
      start: Number(index?.byteStart),
      end: Math.min(Number(index?.byteEnd), bytes.length),
      features: Array.isArray(features) ? (features as readonly Feature[]) : [],
    }))
    .filter(({ start, end }) => start >= 0 && end > start)
    .filter(({ start, end }) => Number.isInteger(start) && Number.isInteger(end))
    .filter(({ start, end }) => isEdge(start) && isEdge(end))
    .sort((a, b) => a.start - b.start)
}

function linked(text: string, features: readonly Feature[]): Html {
  for (const { $type, did, uri, tag } of features) {
    if ($type === 'app.bsky.richtext.facet#link' && isWebAddress(uri)) {
      return html`<a href="${uri}" rel="nofollow ugc noopener">${text}</a>`
    }
    if ($type === 'app.bsky.richtext.facet#mention' && typeof did === 'string') {
      return html`<a href="/profile/${encodeURIComponent(did)}">${text}</a>`
    }
    if ($type === 'app.bsky.richtext.facet#tag' && typeof tag === 'string') {
      return html`<a href="/hashtag/${encodeURIComponent(tag)}">${text}</a>`
    }
  }
  return html`${text}`
}

export function isWebAddress(text: unknown): text is string {
  return typeof text === 'string' && /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}
