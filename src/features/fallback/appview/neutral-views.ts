// Makes a stranger's views fit to be cached for every viewer: without viewer state, with labels only from the
// accepted labelers, and with media URLs in our own patterns. Views that contradict themselves are unfit: a
// post under another account's name, or a URL that is not http(s).

import { jsonToLex, type Lexicons } from '@atproto/lexicon'
import { isObject, type JsonObject } from '../../../base/util/json-object.ts'
import { innerViews, kindOf, recordFieldOf } from './view-kinds.ts'

export type MediaPatterns = {
  image(preset: ImagePreset, did: string, cid: string): string
  videoPlaylist(did: string, cid: string): string
  videoThumbnail(did: string, cid: string): string
}
type ImagePreset = 'avatar' | 'banner' | 'feed_thumbnail' | 'feed_fullsize'

export type Neutral = {
  lexicons: Lexicons
  urls: MediaPatterns
  /** DIDs of the accepted labelers. */
  labelers: readonly string[]
  now: number
}

const POST = 'app.bsky.feed.post'
const MEDIA = ['avatar', 'banner', 'thumb', 'fullsize', 'playlist', 'thumbnail']
const IMAGE =
  /^https:\/\/[^/]+\/img\/(avatar|avatar_thumbnail|banner|feed_thumbnail|feed_fullsize)\/plain\/(did:[^/?#]+)\/([a-z0-9]+)(@[a-z]+)?$/
const VIDEO = /^https:\/\/[^/]+\/watch\/([^/?#]+)\/([a-z0-9]+)\/(playlist\.m3u8|thumbnail\.jpg)$/
const PRESETS: Record<string, ImagePreset> = {
  avatar: 'avatar',
  avatar_thumbnail: 'avatar',
  banner: 'banner',
  feed_thumbnail: 'feed_thumbnail',
  feed_fullsize: 'feed_fullsize',
}

/** Modifies `view`. @returns whether it is fit to be shown. */
export function neutralise(view: JsonObject, by: Neutral): boolean {
  delete view['viewer']
  if (!isConsistent(view, by.lexicons) || !hasFitMedia(view, by.urls)) return false
  if (Array.isArray(view['labels'])) view['labels'] = labelsOf(view, by)
  for (const inner of innerViews(view)) if (!neutralise(inner, by)) return false
  return true
}

function isConsistent(view: JsonObject, lexicons: Lexicons): boolean {
  const kind = kindOf(view)
  if (kind !== 'post' && kind !== 'record') return true
  const owner = (view['author'] ?? view['creator']) as JsonObject | undefined
  const did = String(view['uri']).split('/')[2]
  if (owner && owner['did'] !== did) return false
  if (kind === 'record') return true
  return isPostRecord(view[recordFieldOf(view)!] as JsonObject, lexicons)
}

function isPostRecord(record: JsonObject, lexicons: Lexicons): boolean {
  try {
    return record['$type'] === POST && lexicons.validate(POST, jsonToLex(record)).success
  } catch {
    return false
  }
}

function hasFitMedia(view: JsonObject, urls: MediaPatterns): boolean {
  for (const name of MEDIA) {
    const value = view[name]
    if (typeof value !== 'string') continue
    if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) return false
    view[name] = ownAddress(value, urls)
  }
  return true
}

/** Rewrites URLs in the form of Bluesky's CDN and the reference. */
function ownAddress(address: string, urls: MediaPatterns): string {
  const [, preset = '', owner = '', cid = ''] = IMAGE.exec(address) ?? []
  if (preset !== '') return urls.image(PRESETS[preset]!, owner, cid)
  const [, encoded, videoCid = '', file] = VIDEO.exec(address) ?? []
  const did = encoded === undefined ? undefined : decoded(encoded)
  if (!did?.startsWith('did:')) return address
  return file === 'playlist.m3u8'
    ? urls.videoPlaylist(did, videoCid)
    : urls.videoThumbnail(did, videoCid)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Labels by accepted labelers and by the account itself that are in force and about this view. */
function labelsOf(view: JsonObject, { labelers, now }: Neutral): JsonObject[] {
  const did = ownerOf(view)
  return (view['labels'] as unknown[]).filter(isObject).filter((label) => {
    const { src, uri, neg, exp } = label
    const isAbout = uri === did || String(uri).startsWith(`at://${did}/`)
    const isBySomebody = src === did || labelers.includes(String(src))
    const isOver = typeof exp === 'string' && Date.parse(exp) <= now
    return isAbout && isBySomebody && neg !== true && !isOver
  })
}

function ownerOf(view: JsonObject): string | undefined {
  if (typeof view['did'] === 'string' && typeof view['handle'] === 'string') return view['did']
  return typeof view['uri'] === 'string' ? view['uri'].split('/')[2] : undefined
}
