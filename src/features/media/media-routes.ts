// The media routes: pictures if the operator serves them here (`IMAGES=own`), and videos, whose playlists are
// always ours unless their URLs are configured. Blobs have a separate fetch, so that a screen full of
// pictures delays neither sign-ins nor feeds.

import type { Logger } from '../../base/obs/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/moderation/takedowns.ts'
import type { SideRoutes } from '../../http/server/side-routes.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { createQuotas, type Shares } from '../../sources/quota.ts'
import { createStrangerBytes } from './blobs/stranger-bytes.ts'
import { createVideoPosts } from './hls/video-posts.ts'
import { createWatchLog } from './hls/watch-log.ts'
import { createWatchSessions } from './hls/watch-sessions.ts'
import { createWatching, type Watching } from './hls/watching.ts'
import { createMediaApp, type VideosFrom } from './media-app.ts'
import type { MediaConfig } from './media-config.ts'
import { pinRules } from './pins/pin-rules.ts'
import type { PinStore } from './pins/pin-store.ts'
import { type PinStatus, readPinStatus } from './pins/pinned-files.ts'
import { createMediaProcess, type MediaProcess } from './process/media-process.ts'
import type { SharedMedia } from './shared-media.ts'
import { checkTrailer } from './trailer/check-trailer.ts'

type MediaRoutes = {
  /** For the server's `sideRoutes`. */
  routes: SideRoutes[]
  counts(): MediaCounts
  /** Ends the media process. */
  close(): void
}

type PlaylistCounts = { made: number; elsewhere: number }
type PinCounts = { pinnedBytes: number; pinnedMissing: number }
export type MediaCounts = PinCounts &
  ReturnType<MediaProcess['counts']> &
  ReturnType<Watching['counts']> &
  PlaylistCounts

type Dependencies = {
  log: Logger
  db: Db
  actors: ActorReader
  resolver: Resolver
  ingest: { writer: Writer }
  shared: SharedMedia
  thread: number
}

const NOTHING_COUNTED = { tooMany: 0, unknown: 0, dropped: 0 }
const MEGABYTE = 1 << 20
/** Of what a PDS allows, for pictures and videos that visitors want: a screen has dozens of them. */
const BLOB_SHARES: Shares = { visitors: 1 / 2, address: 1 / 5, member: 1 }
/**
 * For a video of some minutes, at the pace of at most one core, at the machine's lowest priority.
 */
const ENCODING = { cpuMs: 10 * MINUTE_MS, jobMs: HOUR_MS, idleMs: MINUTE_MS, niceness: 19 }

export function mediaRoutes(config: MediaConfig, parts: Dependencies): MediaRoutes {
  const { allowPrivateHosts, images, dataDir, imageCacheMb } = config
  const process = createMediaProcess(parts)
  const encoder =
    parts.thread === 0 ? createMediaProcess({ ...parts, limits: ENCODING }) : undefined
  const playlists: PlaylistCounts = { made: 0, elsewhere: 0 }
  const posts = createVideoPosts(parts)
  let pinStore: PinStore | undefined
  let pinsBefore: PinStatus | undefined
  if (config.mediaPin.length > 0 && parts.thread === 0) {
    void readPinStatus(dataDir).then((status) => {
      pinsBefore = status
    })
  }
  const watching = config.videoStatsDays > 0 ? watchingOf(config, { ...parts, posts }) : undefined
  const app = createMediaApp({
    ...parts,
    process,
    fetch: createGuardedFetch({ allowPrivateHosts, log: parts.log }),
    strangerBytes: createStrangerBytes(parts.shared.strangerBytes),
    quotas: createQuotas(parts.shared.blobs, { shares: BLOB_SHARES }),
    isHidden: (subject) => findTakedown(parts.db, subject) !== undefined,
    dataDir,
    hasImages: images === 'own',
    videos: videosFrom(config, { log: parts.log, encoder }),
    posts,
    watching,
    pins:
      config.mediaPin.length === 0
        ? undefined
        : {
            rules: parts.thread === 0 ? pinRules(config, parts) : undefined,
            onPinStore: (pinKeeper) => {
              pinStore = pinKeeper
            },
          },
    trailer: config.videoTrailer ? checkTrailer(config.videoTrailer) : undefined,
    onPlaylist(from) {
      playlists[from === 'here' ? 'made' : 'elsewhere'] += 1
    },
    maxCacheBytes: imageCacheMb * MEGABYTE,
  })
  const patterns = ['/img/*', '/blob/*', '/video/*']
  const charges = [{ patterns, route: 'media', points: 1, from: 'files' } as const]
  return {
    routes: [{ path: '/', app, charges }],
    counts: () => ({
      ...process.counts(),
      ...playlists,
      ...pinCounts(pinStore?.status() ?? pinsBefore),
      ...(watching?.counts() ?? NOTHING_COUNTED),
    }),
    close() {
      process.close()
      encoder?.close()
      watching?.close()
      pinStore?.close()
    },
  }
}

function pinCounts(status: PinStatus | undefined): PinCounts {
  return { pinnedBytes: status?.bytes ?? 0, pinnedMissing: status?.missing ?? 0 }
}

function watchingOf(
  { serviceDid }: MediaConfig,
  parts: Dependencies & { posts: ReturnType<typeof createVideoPosts> },
): Watching {
  const { actors, ingest, log, posts, shared } = parts
  const now = Date.now
  return createWatching({
    sessions: createWatchSessions({ space: shared.sessions, now }),
    log: createWatchLog({ writer: ingest.writer, serviceDid, log }),
    posts,
    uidOf: (did) => actors.uidOf(did),
    now,
  })
}

/** The video service is named by the operator, so it may be on a private address. */
function videosFrom(
  { videos: kind, videoServiceUrl: base, allowPrivateHosts, ...config }: MediaConfig,
  { log, encoder }: { log: Logger; encoder: MediaProcess | undefined },
): VideosFrom {
  if (kind === 'own') {
    const { videoPreviews: hasPreviews, videoLowerQualities: shortSides } = config
    return { kind, hasPreviews, lower: shortSides.length > 0 ? { shortSides, encoder } : undefined }
  }
  const trustedOrigins = [new URL(base).origin]
  return { kind, base, fetch: createGuardedFetch({ allowPrivateHosts, trustedOrigins, log }) }
}
