// The media routes: pictures where the operator wants them from here (`IMAGES=own`), and videos, whose playlists are
// always ours unless their addresses are set. Blobs are fetched by a way of their own, so that a screen full
// of pictures keeps nobody's sign-in and no feed waiting.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/takedowns.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { createVideoPosts } from '../media/hls/video-posts.ts'
import { createWatchLog } from '../media/hls/watch-log.ts'
import { createWatchSessions, type SessionSpace } from '../media/hls/watch-sessions.ts'
import { createWatching, type Watching } from '../media/hls/watching.ts'
import { createMediaApp, type VideosFrom } from '../media/media-app.ts'
import { createMediaProcess, type MediaProcess } from '../media/process/media-process.ts'
import type { SideRoutes } from '../server/side-routes.ts'

type MediaRoutes = {
  /** For `beside` of the server. */
  routes: SideRoutes[]
  counts(): MediaCounts
  /** Ends the media process. */
  close(): void
}

type PlaylistCounts = { made: number; elsewhere: number }
export type MediaCounts = ReturnType<MediaProcess['counts']> &
  ReturnType<Watching['counts']> &
  PlaylistCounts

type Parts = {
  log: Logger
  db: Db
  actors: ActorReader
  resolver: Resolver
  ingest: { writer: Writer }
  videoSessions: SessionSpace
}

const NOTHING_COUNTED = { tooMany: 0, unknown: 0, dropped: 0 }
const MEGABYTE = 1 << 20

export function mediaRoutes(config: Config, parts: Parts): MediaRoutes {
  const { allowPrivateHosts, images, dataDir, imageCacheMb } = config
  const process = createMediaProcess(parts)
  const playlists: PlaylistCounts = { made: 0, elsewhere: 0 }
  const posts = createVideoPosts(parts)
  const watching = config.videoStatsDays > 0 ? watchingOf(config, { ...parts, posts }) : undefined
  const app = createMediaApp({
    ...parts,
    process,
    fetch: createGuardedFetch({ allowPrivateHosts, log: parts.log }),
    isHidden: (subject) => findTakedown(parts.db, subject) !== undefined,
    dataDir,
    hasImages: images === 'own',
    videos: videosFrom(config, parts.log),
    ...{ posts, watching },
    onPlaylist(from) {
      playlists[from === 'here' ? 'made' : 'elsewhere'] += 1
    },
    maxCacheBytes: imageCacheMb * MEGABYTE,
  })
  const patterns = ['/img/*', '/blob/*', '/video/*']
  const charges = [{ patterns, route: 'media', points: 1, from: 'media' } as const]
  return {
    routes: [{ path: '/', app, charges }],
    counts: () => ({
      ...process.counts(),
      ...playlists,
      ...(watching?.counts() ?? NOTHING_COUNTED),
    }),
    close() {
      process.close()
      watching?.close()
    },
  }
}

function watchingOf(
  { serviceDid }: Config,
  parts: Parts & { posts: ReturnType<typeof createVideoPosts> },
): Watching {
  const { actors, ingest, log, posts, videoSessions: space } = parts
  const now = Date.now
  return createWatching({
    sessions: createWatchSessions({ space, now }),
    log: createWatchLog({ writer: ingest.writer, serviceDid, log }),
    ...{ posts, uidOf: (did) => actors.uidOf(did), now },
  })
}

/** The video service is the operator's to name, so it may be theirs, on a private address. */
function videosFrom(
  { videos: kind, videoServiceUrl: base, allowPrivateHosts }: Config,
  log: Logger,
): VideosFrom {
  if (kind === 'own') return { kind }
  const trustedOrigins = [new URL(base).origin]
  return { kind, base, fetch: createGuardedFetch({ allowPrivateHosts, trustedOrigins, log }) }
}
