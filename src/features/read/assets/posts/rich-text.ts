// A post's text with its facets (app.bsky.richtext.facet), whose places are bytes of UTF-8.

import type { AppBskyRichtextFacet } from '@atproto/api'
import { type Child, el, link, outsideLink } from '../page/dom.ts'

type Facet = AppBskyRichtextFacet.Main

/** Facets that overlap or cut a character are left out. One that goes on behind the text ends with it, as elsewhere. */
export function richText(text: string, facets: readonly Facet[] = []): Child[] {
  const bytes = new TextEncoder().encode(text)
  const read = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to))
  const parts: Child[] = []
  let at = 0
  for (const { index, features } of inOrder(facets)) {
    const { byteStart } = index
    const byteEnd = Math.min(index.byteEnd, bytes.length)
    if (byteStart < at || byteStart >= byteEnd) continue
    if (isInside(bytes, byteStart) || isInside(bytes, byteEnd)) continue
    parts.push(read(at, byteStart), featureNode(read(byteStart, byteEnd), features))
    at = byteEnd
  }
  parts.push(read(at, bytes.length))
  return parts
}

function inOrder(facets: readonly Facet[]): Facet[] {
  const isFacet = (main: Facet) =>
    Number.isInteger(main?.index?.byteStart) &&
    Number.isInteger(main.index.byteEnd) &&
    main.index.byteStart < main.index.byteEnd &&
    Array.isArray(main.features)
  return facets.filter(isFacet).sort((a, b) => a.index.byteStart - b.index.byteStart)
}

function isInside(bytes: Uint8Array, at: number): boolean {
  return at < bytes.length && (bytes[at]! & 0xc0) === 0x80
}

function featureNode(text: string, features: Facet['features']): Child {
  for (const feature of features) {
    const item = feature as { $type?: string; did?: string; uri?: string; tag?: string }
    if (item.$type === 'app.bsky.richtext.facet#mention' && item.did) {
      return link(`/read/profile/${encodeURIComponent(item.did)}`, { dir: 'auto' }, text)
    }
    if (item.$type === 'app.bsky.richtext.facet#link' && item.uri) return linkNode(item.uri, text)
    if (item.$type === 'app.bsky.richtext.facet#tag' && item.tag) {
      return link(`/read/search?q=${encodeURIComponent(`#${item.tag}`)}`, { dir: 'auto' }, text)
    }
  }
  return text
}

/** Says where a link leads if its text looks like an address elsewhere. */
function linkNode(uri: string, text: string): HTMLElement {
  const host = URL.parse(uri)?.host
  const seems = /^(?:https?:\/\/)?((?:[\w-]+\.)+[a-z]{2,})/i.exec(text.trim())?.[1]
  const isHonest =
    !seems || !host || host.replace(/^www\./, '') === seems.toLowerCase().replace(/^www\./, '')
  const node = outsideLink(uri, text)
  if (isHonest) return node
  return el('span', {}, node, el('span', { class: 'where' }, ` (${host})`))
}
