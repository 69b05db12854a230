// The facets (app.bsky.richtext.facet) of a text that is being written: links, mentions and hashtags, whose places
// are bytes of UTF-8.

import type { AppBskyRichtextFacet } from '@atproto/api'
import { isHandle } from '../../../sign-in/assets/handle.ts'

type Facet = AppBskyRichtextFacet.Main

const LINK = /(^|[\s(])(https?:\/\/[^\s<>"]+)/g
const MENTION = /(^|[\s(])@([a-z0-9.-]+)/gi
const BEHIND_LINKS = new Set('.,;:!?\'")]')
const PUNCTUATION = /^\p{P}$/u
/** Ends before what nobody sees, such as a zero-width space. The sign before U+FE0F is an emoji. */
const TAG = /(^|\s)[#＃](?!\ufe0f)([^\s#\p{Cf}]+)/gu
const MORE_THAN_NUMBER = /[^\d\p{P}]/u

/** @param didOf - undefined for a handle that leads nowhere: it stays plain text */
export async function facetsOf(
  text: string,
  didOf: (handle: string) => Promise<string | undefined>,
): Promise<Facet[]> {
  const encoder = new TextEncoder()
  const sliceOf = (start: number, length: number) => ({
    byteStart: encoder.encode(text.slice(0, start)).length,
    byteEnd: encoder.encode(text.slice(0, start + length)).length,
  })
  const found: Facet[] = []
  for (const match of text.matchAll(LINK)) {
    const uri = withoutEnd(match[2]!, isBehindLink)
    const index = sliceOf(match.index + match[1]!.length, uri.length)
    found.push({
      index,
      features: [{ $type: 'app.bsky.richtext.facet#link', uri: uri as `https://${string}` }],
    })
  }
  for (const match of text.matchAll(TAG)) {
    const tag = withoutEnd(match[2]!, (value) => PUNCTUATION.test(value))
    if (!MORE_THAN_NUMBER.test(tag) || tag.length > 64) continue
    const index = sliceOf(match.index + match[1]!.length, tag.length + 1)
    found.push({ index, features: [{ $type: 'app.bsky.richtext.facet#tag', tag }] })
  }
  for (const match of text.matchAll(MENTION)) {
    const handle = withoutEnd(match[2]!, (value) => value === '.' || value === '-')
    if (!isHandle(handle)) continue
    const did = await didOf(handle.toLowerCase()).catch(() => undefined)
    if (!did) continue
    const index = sliceOf(match.index + match[1]!.length, handle.length + 1)
    found.push({
      index,
      features: [{ $type: 'app.bsky.richtext.facet#mention', did: did as `did:plc:${string}` }],
    })
  }
  return found.sort((a, b) => a.index.byteStart - b.index.byteStart)
}

/** A bracket that closes one of the link belongs to it, as in /wiki/Walrus_(animal). */
function isBehindLink(last: string, link: readonly string[]): boolean {
  if (last !== ')') return BEHIND_LINKS.has(last)
  const count = (bracket: string) => link.filter((one) => one === bracket).length
  return count(')') > count('(')
}

/** Without the characters at the end that are so. */
function withoutEnd(
  text: string,
  isSo: (last: string, rest: readonly string[]) => boolean,
): string {
  const characters = [...text]
  while (characters.length > 0 && isSo(characters.at(-1)!, characters)) characters.pop()
  return characters.join('')
}

const MOST_CHARACTERS = 300
const MOST_BYTES = 3_000

/** How much a post may still take. Characters of many parts, such as families, use up its bytes first. */
export function leftOf(text: string): number {
  const bytes = new TextEncoder().encode(text).length
  const byBytes = Math.floor(((MOST_BYTES - bytes) * MOST_CHARACTERS) / MOST_BYTES)
  return Math.min(MOST_CHARACTERS - lengthOf(text), byBytes)
}

const segmenter = new Intl.Segmenter()

/** Visible characters: what the 300 of a post are counted in. */
export function lengthOf(text: string): number {
  let count = 0
  for (const _ of segmenter.segment(text)) count++
  return count
}
