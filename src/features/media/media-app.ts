// Routes for pictures, /img/{preset}/plain/{did}/{cid}[@jpeg|@webp] as on Bluesky's CDN, for
// /blob/{did}/{cid} (blob-route.ts) and for videos (hls/video-routes.ts). Refuses blobs of accounts that
// nothing here refers to, so that the server is no open proxy; and blobs of accounts that are deactivated,
// suspended, taken down, deleted or hidden by the operator, even if cached.

import { join } from 'node:path'
import { type Context, Hono } from 'hono'
import type { Logger } from '../../base/obs/log.ts'
import { type ActorReader, HIDDEN, MEMBER } from '../../data/graph/types.ts'
import { blobSubject } from '../../data/store/moderation/takedowns.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { blobRoute } from './blobs/blob-route.ts'
import type { BlobSource } from './blobs/fetch-blob.ts'
import { createWaitingBlobs } from './blobs/waiting-blobs.ts'
import { createDiskCache, type DiskCache } from './cache/disk-cache.ts'
import { createCaptions, type VideoPosts } from './hls/captions.ts'
import { createCdnSource } from './hls/cdn-source.ts'
import { createHls } from './hls/cut-videos.ts'
import { createLowerQualities, type LowerOptions } from './hls/lower-qualities.ts'
import { createOwnSource } from './hls/own-source.ts'
import type { VideoSource } from './hls/playlist.ts'
import { createPreviews } from './hls/previews.ts'
import { trailerRoute, type VideoContext, videoRoute } from './hls/video-routes.ts'
import type { Watching } from './hls/watching.ts'
import { createImages, type Images, type ImagesOptions } from './images.ts'
import { MediaError } from './media-error.ts'
import { errorResponse, fullResponse } from './media-headers.ts'
import { type BlobName, parseImagePath } from './media-path.ts'
import { NO_THUMBNAIL } from './no-thumbnail.ts'
import { createPinStore, type PinRules, type PinStore } from './pins/pin-store.ts'
import { createPinnedFiles, type PinnedFiles, withPins } from './pins/pinned-files.ts'
import type { MediaProcess } from './process/media-process.ts'
import type { TrailerFile } from './trailer/check-trailer.ts'
import { createTrailer } from './trailer/trailer.ts'
import { createPictures, createVideos } from './videos.ts'
import { chargeLaterTurns, requestedBy } from './visitor.ts'

export type VideosFrom =
  | { kind: 'own'; hasPreviews?: boolean; lower?: LowerOptions | undefined }
  /** A video service, with its own fetch. */
  | { kind: 'cdn' | 'proxy'; base: string; fetch: GuardedFetch }

type MediaOptions = Pick<BlobSource, 'fetch' | 'resolver' | 'strangerBytes' | 'quotas'> & {
  /** Parent of the cache's folder. */
  dataDir: string
  maxCacheBytes: number
  hasImages: boolean
  /** Source of videos; undefined for no video routes. */
  videos?: VideosFrom | undefined
  posts: VideoPosts
  /** Counts watching time; nothing is counted if undefined. */
  watching?: Watching | undefined
  /** The operator's trailer, at the end of videos. */
  trailer?: TrailerFile | undefined
  /**
   * Keeps some accounts' videos permanently, in a separate folder. Only one thread is given the
   * rules.
   */
  pins?: {
    rules: PinRules | undefined
    everyMs?: number
    onPinStore?: (pinStore: PinStore) => void
  }
  /** Called for each playlist sent to a player. */
  onPlaylist?: VideoContext['onPlaylist']
  actors: Pick<ActorReader, 'uidOf' | 'flagsOf' | 'memberFollowersOf'>
  /** Whether the operator hid a blob, named as in data/store/moderation/takedowns.ts. */
  isHidden?: (subject: string) => boolean
  log: Pick<Logger, 'debug' | 'warn' | 'error'>
  /** Decodes pictures and cuts videos. */
  process: Pick<MediaProcess, 'run'>
  now?: () => number
  /** How long to wait for a picture's server, and for a preview. */
  maxWait?: (ImagesOptions['maxWait'] & { previewMs?: number }) | undefined
}

const FOLDER = 'media-cache'

/** Mount at `/`. */
export function createMediaApp(options: MediaOptions): Hono {
  const { log, now, process, maxWait } = options
  const refuseHidden = createRefuseHidden(options)
  const folder = join(options.dataDir, FOLDER)
  const plain = createDiskCache({ folder, maxBytes: options.maxCacheBytes, log, now })
  const pinned = options.pins && createPinnedFiles(options)
  const cache = pinned ? withPins(plain, pinned) : plain
  const source = sourceOf(options)
  const images = createImages({ source, cache, process, now, maxWait })

  const app = new Hono()
  if (options.hasImages) {
    app.get('/img/*', (c) =>
      answer(c, log, () => imageResponse(c, { refuseHidden, images, source })),
    )
    const pictures = createPictures({ source, cache, now })
    const blobs = { refuseHidden, pictures, source }
    app.get('/blob/:did/:cid', (c) => answer(c, log, () => blobRoute(c, blobs)))
  }
  if (options.videos) {
    const parts = videoParts(options, { cache, refuseHidden, blobs: source })
    if (pinned) startPins(options, { pinned, cache: plain, ...parts })
    const { trailer } = parts
    if (trailer) {
      app.get('/video/trailer/*', (c) => answer(c, log, () => trailerRoute(c, trailer)))
    }
    for (const path of ['/video/:did/:cid', '/video/:did/:cid/*']) {
      app.get(path, (c) => answer(c, log, () => videoRoute(c, parts)))
    }
  }
  return app
}

function videoParts(
  options: MediaOptions,
  {
    cache,
    refuseHidden,
    blobs,
  }: { cache: DiskCache; refuseHidden: RefuseHidden; blobs: BlobSource },
): VideoContext {
  const { actors, posts, process, watching, log, trailer: file, now = Date.now } = options
  const from = options.videos ?? { kind: 'own' }
  const isOwn = from.kind === 'own'
  const videos = createVideos({ source: blobs, cache, now })
  const source =
    from.kind === 'own'
      ? ownSource({ ...options, videos, cache, now, isFollowed: blobs.isFollowed }, from)
      : createCdnSource({ ...from, blobs, isProxy: from.kind === 'proxy', cache, process, now })
  return {
    source,
    posts,
    refuseHidden,
    waiting: blobs.waiting,
    watching,
    onPlaylist: options.onPlaylist,
    videos: isOwn ? videos : undefined,
    trailer: file && createTrailer({ file, cache, process, log, now }),
    captions: createCaptions({ source: blobs, cache, now }),
    knows: (did) => actors.uidOf(did) !== 0,
  }
}

function startPins(
  { pins, log }: MediaOptions,
  context: Pick<VideoContext, 'source' | 'captions'> & { pinned: PinnedFiles; cache: DiskCache },
): void {
  if (!pins?.rules) return
  const { everyMs, rules, onPinStore } = pins
  onPinStore?.(
    createPinStore({ ...context, ...rules, log, ...(everyMs !== undefined && { everyMs }) }),
  )
}

function ownSource(
  parts: Omit<Parameters<typeof createPreviews>[0], 'hls'> &
    Pick<MediaOptions, 'dataDir' | 'maxWait'>,
  { hasPreviews = true, lower }: Extract<VideosFrom, { kind: 'own' }>,
): VideoSource {
  const hls = createHls(parts)
  const previews = hasPreviews
    ? createPreviews({ ...parts, hls, maxWaitMs: parts.maxWait?.previewMs })
    : async () => NO_THUMBNAIL
  return createOwnSource({
    hls,
    previews,
    lower: lower && createLowerQualities({ ...parts, ...lower }),
  })
}

async function answer(
  c: Context,
  log: MediaOptions['log'],
  work: () => Promise<Response>,
): Promise<Response> {
  chargeLaterTurns(c)
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
  {
    refuseHidden,
    images,
    source,
  }: { refuseHidden: RefuseHidden; images: Images; source: BlobSource },
): Promise<Response> {
  const name = { ...parseImagePath(new URL(c.req.url).pathname), ...requestedBy(c) }
  refuseHidden(name)
  source.waiting.join(name)
  const saved = `attachment; filename="${name.cid}.${name.format}"`
  const { picture, isCached } = await images(name)
  return fullResponse(c, picture, {
    // Shows the operator how often pictures have to be fetched.
    'x-cache': isCached ? 'hit' : 'miss',
    ...(name.preset.isDownload && { 'content-disposition': saved }),
  })
}

function sourceOf(options: MediaOptions): BlobSource {
  const { fetch, resolver, strangerBytes, quotas, actors } = options
  return {
    fetch,
    resolver,
    strangerBytes,
    quotas,
    waiting: createWaitingBlobs(),
    isFollowed(did) {
      const uid = actors.uidOf(did)
      return (actors.flagsOf(uid) & MEMBER) !== 0 || actors.memberFollowersOf(uid) > 0
    },
  }
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
