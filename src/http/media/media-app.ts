// The routes for pictures and videos from their own PDSs: /img/{preset}/plain/{did}/{cid}[@jpeg|@webp], of
// the form of Bluesky's CDN; /video/{did}/{cid}/playlist.m3u8 and its parts, the video as a player streams
// it; and /video/{did}/{cid}, the video as it was uploaded. Blobs of accounts that
// nothing here points at are refused, so that nobody uses us as a proxy for the rest of the world; and so
// are those of accounts that are deactivated, suspended, taken down or deleted, or that the operator
// hid, also where a copy is kept.

import { hash } from 'node:crypto'
import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import { type ActorReader, HIDDEN } from '../../data/graph/types.ts'
import { blobSubject } from '../../data/store/takedowns.ts'
import { HEAD_BYTES } from './cache-entry.ts'
import { createDiskCache } from './disk-cache.ts'
import type { BlobSource } from './fetch-blob.ts'
import { createHls, type Hls, partOf } from './hls.ts'
import { createImages, type Images, type ImagesOptions } from './images.ts'
import { MediaError } from './media-error.ts'
import { errorResponse, isKnown, mediaHeaders } from './media-headers.ts'
import { type BlobName, parseBlobName, parseImagePath } from './media-path.ts'
import { noThumbnail } from './no-thumbnail.ts'
import type { MediaProcess } from './process/media-process.ts'
import { type VideoRequest, videoResponse } from './video-response.ts'
import { createVideos, type Videos } from './videos.ts'

export type MediaOptions = BlobSource & {
  /** The cache stands in a folder of this one. */
  dataDir: string
  maxCacheBytes: number
  hasImages: boolean
  hasVideos: boolean
  actors: Pick<ActorReader, 'uidOf' | 'flagsOf'>
  /** Whether the operator hid a blob; as data/store/takedowns.ts names it. */
  isHidden?: (subject: string) => boolean
  log: Pick<Logger, 'debug' | 'warn' | 'error'>
  /** In which pictures are decoded and videos cut. */
  process: Pick<MediaProcess, 'run'>
  now?: () => number
  /** For how long a picture's server is waited for. */
  maxWait?: ImagesOptions['maxWait']
}

const FOLDER = 'media-cache'

/** To be mounted at `/`. */
export function createMediaApp(options: MediaOptions): Hono {
  const { log, now, process, maxWait } = options
  const refuseHidden = createRefuseHidden(options)
  const folder = join(options.dataDir, FOLDER)
  const cache = createDiskCache({ folder, maxBytes: options.maxCacheBytes, log, now })
  const images = createImages({ source: options, cache, process, now, maxWait })
  const videos = createVideos({ source: options, cache, now })

  const app = new Hono()
  if (options.hasImages) {
    app.get('/img/*', (c) => answer(c, log, () => imageResponse(c, { refuseHidden, images })))
  }
  if (options.hasVideos) {
    const hls = createHls({ videos, cache, process, now })
    const parts = { refuseHidden, videos, hls }
    app.get('/video/:did/:cid', (c) => answer(c, log, () => videoFile(c, parts)))
    app.get('/video/:did/:cid/:part', (c) => answer(c, log, () => videoPart(c, parts)))
  }
  return app
}

async function answer(
  c: Context,
  log: MediaOptions['log'],
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MediaError)) {
      log.error({ err: error, path: c.req.path }, 'a picture could not be served')
      return errorResponse(new MediaError('broken', 'InternalServerError', 'Internal error'))
    }
    const { status, message, cause } = error
    log.debug({ path: c.req.path, status, message, cause }, 'no picture')
    return errorResponse(error)
  }
}

async function imageResponse(
  c: Context,
  { refuseHidden, images }: { refuseHidden: RefuseHidden; images: Images },
): Promise<Response> {
  const name = parseImagePath(new URL(c.req.url).pathname)
  refuseHidden(name)
  const saved = `attachment; filename="${name.cid}.${name.format}"`
  const more = name.preset.isDownload ? ([['content-disposition', saved]] as const) : []
  return wholeResponse(c, await images(name), Object.fromEntries(more))
}

type VideoParts = { refuseHidden: RefuseHidden; videos: Videos; hls: Hls }

async function videoFile(c: Context, { refuseHidden, videos }: VideoParts): Promise<Response> {
  const { name } = readVideoPath(c, refuseHidden)
  const entry = await videos.open(name)
  return videoResponse({ ...entry, at: HEAD_BYTES }, requestOf(c))
}

async function videoPart(c: Context, { refuseHidden, hls }: VideoParts): Promise<Response> {
  const { name, part } = readVideoPath(c, refuseHidden)
  if (part === 'thumbnail.jpg') return noThumbnail()
  const { entry, cut } = await hls(name)
  let isOpen = true
  try {
    const found = partOf(cut, part)
    const digest = hash('sha256', `${entry.digest} ${part}`)
    if ('body' in found) return wholeResponse(c, { ...found, digest })
    isOpen = false // whoever streams it closes it
    const { at, length } = found.piece
    const { contentType } = found
    const piece = { file: entry.file, at: HEAD_BYTES + at, length, contentType, digest }
    return await videoResponse(piece, requestOf(c))
  } finally {
    if (isOpen) await entry.file.close()
  }
}

function requestOf(c: Context): VideoRequest {
  return {
    method: c.req.method,
    range: c.req.header('range'),
    ifNoneMatch: c.req.header('if-none-match'),
    ifRange: c.req.header('if-range'),
  }
}

function wholeResponse(
  c: Context,
  { contentType, digest, body }: { contentType: string; digest: string; body: Buffer },
  more: Record<string, string> = {},
): Response {
  const headers = mediaHeaders(contentType, digest)
  if (isKnown(c.req.header('if-none-match'), digest)) {
    return new Response(null, { status: 304, headers })
  }
  const all = { ...headers, ...more, 'content-length': String(body.length) }
  return new Response(body as Uint8Array<ArrayBuffer>, { headers: all })
}

function readVideoPath(c: Context, refuseHidden: RefuseHidden) {
  const [, , did = '', cid = '', part = ''] = new URL(c.req.url).pathname.split('/')
  const name = parseBlobName(did, cid)
  refuseHidden(name)
  return { name, part }
}

/** @throws MediaError */
type RefuseHidden = (name: BlobName) => void

function createRefuseHidden({ actors, isHidden }: MediaOptions): RefuseHidden {
  return ({ did, cid }) => {
    const uid = actors.uidOf(did)
    if (uid === 0) {
      throw new MediaError('missing', 'AccountNotFound', 'the account is not known here')
    }
    if ((actors.flagsOf(uid) & HIDDEN) !== 0) {
      throw new MediaError('missing', 'AccountNotFound', 'the account is not available')
    }
    if (isHidden?.(blobSubject(did, cid))) {
      throw new MediaError('missing', 'BlobNotFound', 'the operator hid it')
    }
  }
}
