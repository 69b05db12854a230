// Routes of videos: /video/{did}/{cid}/playlist.m3u8 lists qualities and captions; below it are
// {n}/video.m3u8 with its pieces, captions/{language}.m3u8 and .vtt, and thumbnail.jpg. /video/{did}/{cid} is
// the uploaded video, if videos are served from here. `?post=` names the post that shows it, `s=` a session
// (watching.ts).

import { hash } from 'node:crypto'
import type { Context } from 'hono'
import type { WaitingBlobs } from '../blobs/waiting-blobs.ts'
import { type CacheEntry, HEAD_BYTES, makeEntry } from '../cache/cache-entry.ts'
import { MediaError } from '../media-error.ts'
import { FOR_GOOD, fullResponse, redirectResponse } from '../media-headers.ts'
import { type BlobName, parseBlobName } from '../media-path.ts'
import { NO_THUMBNAIL } from '../no-thumbnail.ts'
import type { Trailer } from '../trailer/trailer.ts'
import { requestOf, videoResponse } from '../video-response.ts'
import type { Videos } from '../videos.ts'
import { onItsTime, requestedBy, visitorOf } from '../visitor.ts'
import { captionsAt } from './caption-timing.ts'
import type { CaptionBlob, Captions, VideoPosts } from './captions.ts'
import { noSuchPart, type SegmentList, type Variant, type VideoSource } from './playlist.ts'
import { withTail } from './rates.ts'
import type { Watching } from './watching.ts'
import { writeMaster, writeSegments } from './write-playlist.ts'

export type VideoContext = {
  source: VideoSource
  captions: Captions
  posts: VideoPosts
  /** Uploaded videos, if they are served from here. */
  videos: Videos | undefined
  /** @throws MediaError if the video must not be shown */
  refuseHidden: (name: BlobName) => void
  waiting: WaitingBlobs
  /** Whether the account is known here. */
  knows: (did: string) => boolean
  /** `elsewhere`: the player was redirected to the service's own playlist. */
  onPlaylist?: ((from: 'here' | 'elsewhere') => void) | undefined
  /** Undefined if watching is not counted. */
  watching: Watching | undefined
  /** The operator's trailer, appended to videos with a matching format. */
  trailer: Trailer | undefined
}

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
const SOME_MINUTES = 'public, max-age=300'
/** A playlist with a session belongs to one viewer; a player that reloads it keeps its session. */
const MINE = 'private, max-age=600'
const A_MINUTE = 'public, max-age=60'
/** Empty captions for a trailer; the name is no language's. */
const NO_WORDS = '0.vtt'
const A_DAY = 'public, max-age=86400'

type VideoRequest = { c: Context; name: BlobName; rkey: string; session: string; rest: string[] }

export async function videoRoute(c: Context, context: VideoContext): Promise<Response> {
  const url = new URL(c.req.url)
  const [, , did = '', cid = '', ...rest] = url.pathname.split('/')
  const name = { ...parseBlobName(did, cid), ...requestedBy(c) }
  context.waiting.join(name)
  const [rkey, session] = ['post', 's'].map((key) => url.searchParams.get(key) ?? '')
  const requested = { c, name, rest, rkey: rkey!, session: session! }
  const path = rest.join('/')
  if (path === 'playlist.m3u8') return master(requested, context)
  context.refuseHidden(name)
  if (path === '') return uploaded(requested, context)
  if (path === 'thumbnail.jpg') return thumbnail(requested, context)
  if (rest[0] === 'captions') return caption(requested, context)
  if (rest[1] === 'video.m3u8' && rest.length === 2) return segments(requested, context)
  return piece(requested, context)
}

/**
 * If we cannot serve the video, redirects the player to the service, where the operator allows it.
 */
async function master(requested: VideoRequest, context: VideoContext): Promise<Response> {
  const { source, knows, refuseHidden } = context
  const { name } = requested
  if (source.elsewhere && !knows(name.did)) return sentOn(context, source.elsewhere(name))
  refuseHidden(name)
  try {
    return await ourMaster(requested, context)
  } catch (error) {
    if (!source.elsewhere || !(error instanceof MediaError)) throw error
    return sentOn(context, source.elsewhere(name))
  }
}

function sentOn({ onPlaylist }: VideoContext, location: string): Response {
  onPlaylist?.('elsewhere')
  return redirectResponse(location, A_MINUTE)
}

async function ourMaster(
  { c, name, rkey }: VideoRequest,
  context: VideoContext,
): Promise<Response> {
  const variants = await ratedVariants(context, name)
  const query = rkey === '' ? '' : `?post=${encodeURIComponent(rkey)}`
  const session = context.watching?.begin({ name, rkey }, visitorOf(c)) ?? ''
  const captions = context.posts.captionsOf(name, rkey).map(({ language }) => ({
    language,
    name: languageName(language),
    uri: `captions/${language}.m3u8${query}`,
  }))
  const text = writeMaster({
    variants: variants.map((variant, i) => ({
      ...variant,
      uri: `${numberOf(variant, i)}/video.m3u8${session}`,
    })),
    captions,
  })
  context.onPlaylist?.('here')
  return playlistResponse(c, text, session === '' ? SOME_MINUTES : MINE)
}

/** The source's variants, with rates that include the trailer. */
async function ratedVariants(
  { source, trailer }: VideoContext,
  name: BlobName,
): Promise<readonly Variant[]> {
  const variants = await source.variants(name)
  if (!trailer) return variants
  return Promise.all(
    variants.map(async (variant) => {
      const tail = await trailer.rates(variant.codecs, source.container)
      return tail ? withTail(variant, tail) : variant
    }),
  )
}

async function segments(requested: VideoRequest, context: VideoContext): Promise<Response> {
  const { source, watching, onPlaylist } = context
  const { c, name, rkey, rest } = requested
  const variant = variantOf(rest[0])
  const list = await source.list(name, variant)
  const session = watching?.goOn({ name, rkey }, requested.session) ?? ''
  onPlaylist?.('here')
  const lasts = source.isLasting && !context.trailer ? FOR_GOOD : SOME_MINUTES
  const tail = await tailOf(context, { name, variant, list })
  const text = onItsTime(name.time, () => writeSegments(list, { query: session, tail }))
  return playlistResponse(c, text, session === '' ? lasts : MINE)
}

/** Returns the trailer if it matches this quality's format. */
async function tailOf(
  { source, trailer }: VideoContext,
  { name, variant, list }: { name: BlobName; variant: number; list: SegmentList },
): Promise<SegmentList | undefined> {
  if (!trailer) return undefined
  const variants = await source.variants(name)
  const quality = variants.find((item, i) => numberOf(item, i) === variant)
  return trailer.behind(list, quality?.codecs)
}

/**
 * Without a folder, the piece belongs to quality 0; URLs were so before there were several
 * qualities.
 */
async function piece(
  requested: VideoRequest,
  { source, watching }: VideoContext,
): Promise<Response> {
  const { c, name, rkey, rest, session } = requested
  if (rest.length > 2) throw noSuchPart()
  const [folder, file] = rest.length === 1 ? ['0', rest[0]!] : [rest[0], rest[1]!]
  const found = await source.piece(name, variantOf(folder), file)
  const response =
    'location' in found
      ? redirectResponse(found.location, A_MINUTE)
      : await videoResponse(found, requestOf(c))
  const isGiven = c.req.method === 'GET' && response.status < 400
  if (isGiven && found.segment) watching?.watched({ name, rkey }, session, found.segment)
  return response
}

/** A piece of the operator's trailer, the same behind all videos: /video/trailer/{digest}/{form}/{file}. */
export async function trailerRoute(c: Context, trailer: Trailer): Promise<Response> {
  const path = new URL(c.req.url).pathname.split('/').slice(3)
  return videoResponse(await trailer.piece(path), requestOf(c))
}

async function caption(requested: VideoRequest, context: VideoContext): Promise<Response> {
  const { c, name, rest, rkey } = requested
  if (rest[1] === NO_WORDS && rest.length === 2) return noWords(c)
  const [, language = '', ending] = /^([a-z0-9-]{1,35})\.(m3u8|vtt)$/.exec(rest[1] ?? '') ?? []
  const blob = context.posts
    .captionsOf(name, rkey)
    .find((captionBlob) => captionBlob.language === language)
  if (!blob || rest.length !== 2) throw noSuchPart()
  if (ending === 'vtt') return captionFile(requested, context, blob)
  const list = await context.source.list(name, 0)
  const file = `${language}.vtt?post=${encodeURIComponent(rkey)}`
  const tail = await tailOf(context, { name, variant: 0, list })
  const text = writeSegments(oneFile(list, file), { tail: tail && oneFile(tail, NO_WORDS) })
  return playlistResponse(c, text, SOME_MINUTES)
}

/** One segment as long as all pieces together, since captions are a single file. */
function oneFile({ segments: pieces }: SegmentList, file: string): SegmentList {
  const seconds = pieces.reduce((sum, value) => sum + value.seconds, 0)
  return { init: undefined, segments: [{ seconds, file }] }
}

function noWords(c: Context): Response {
  return fullResponse(c, makeEntry('text/vtt', Buffer.from('WEBVTT\n\n')), {})
}

async function captionFile(
  { c, name }: VideoRequest,
  { source, captions, waiting }: VideoContext,
  { cid }: CaptionBlob,
): Promise<Response> {
  const blob = { ...name, cid }
  waiting.join(blob)
  const entry = await captions(blob)
  return fullResponse(c, captionsAt(entry, await source.firstTimestamp(name)), {
    'cache-control': SOME_MINUTES,
  })
}

async function thumbnail({ c, name }: VideoRequest, { source }: VideoContext): Promise<Response> {
  const found = await source.thumbnail(name)
  if ('location' in found) return redirectResponse(found.location, A_MINUTE)
  const lasts = found === NO_THUMBNAIL ? A_MINUTE : A_DAY
  return fullResponse(c, found, { 'cache-control': lasts })
}

async function uploaded({ c, name }: VideoRequest, { videos }: VideoContext): Promise<Response> {
  if (!videos) throw noSuchPart()
  const entry = await videos.open(name)
  return videoResponse({ ...entry, at: HEAD_BYTES }, requestOf(c))
}

function playlistResponse(c: Context, text: string, cacheControl: string): Response {
  const body = Buffer.from(text)
  const entry: CacheEntry = { contentType: PLAYLIST_TYPE, digest: hash('sha256', body), body }
  return fullResponse(c, entry, { 'cache-control': cacheControl })
}

function numberOf({ number }: Variant, index: number): number {
  return number ?? index
}

function variantOf(text: string | undefined): number {
  if (!/^\d{1,3}$/.test(text ?? '')) throw noSuchPart()
  return Number(text)
}

/** Returns the language's name in that language, for players; the tag itself if it has no name. */
function languageName(language: string): string {
  try {
    const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
    return name.replaceAll(/["\p{Cc}]/gu, '')
  } catch {
    return language
  }
}
