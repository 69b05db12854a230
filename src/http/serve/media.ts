// The media routes: pictures where the operator wants them from here (`IMAGES=own`), and videos, whose playlists are
// always ours unless their addresses are set. Blobs are fetched by a way of their own, so that a screen full
// of pictures keeps nobody's sign-in and no feed waiting.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/takedowns.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { createVideoPosts } from '../media/hls/video-posts.ts'
import { createMediaApp, type VideosFrom } from '../media/media-app.ts'
import { createMediaProcess, type MediaProcess } from '../media/process/media-process.ts'
import type { SideRoutes } from '../server/side-routes.ts'

type MediaRoutes = {
  /** For `beside` of the server. */
  routes: SideRoutes[]
  counts: MediaProcess['counts']
  /** Ends the media process. */
  close(): void
}

const MEGABYTE = 1 << 20

export function mediaRoutes(
  config: Config,
  parts: { log: Logger; db: Db; actors: ActorReader; resolver: Resolver },
): MediaRoutes {
  const { allowPrivateHosts, images, dataDir, imageCacheMb } = config
  const process = createMediaProcess(parts)
  const app = createMediaApp({
    ...parts,
    process,
    fetch: createGuardedFetch({ allowPrivateHosts, log: parts.log }),
    isHidden: (subject) => findTakedown(parts.db, subject) !== undefined,
    dataDir,
    hasImages: images === 'own',
    videos: videosFrom(config, parts.log),
    posts: createVideoPosts(parts),
    maxCacheBytes: imageCacheMb * MEGABYTE,
  })
  const patterns = ['/img/*', '/video/*']
  const charges = [{ patterns, route: 'media', points: 1, from: 'media' } as const]
  return { routes: [{ path: '/', app, charges }], counts: process.counts, close: process.close }
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
