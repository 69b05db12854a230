// The media routes, where the operator wants pictures or videos from here (`IMAGES=own`, `VIDEOS=own`). Blobs are fetched by a
// way of their own, so that a screen full of pictures keeps nobody's sign-in and no feed waiting.

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { Db } from '../../data/store/db.ts'
import { findTakedown } from '../../data/store/takedowns.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'
import { createMediaApp } from '../media/media-app.ts'
import { createMediaProcess, type MediaProcess } from '../media/process/media-process.ts'
import type { SideRoutes } from '../server/side-routes.ts'

export type MediaRoutes = {
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
  if (config.images === 'cdn' && config.videos === 'cdn') {
    return {
      routes: [],
      counts: () => ({ refused: 0, died: 0, pending: 0 }),
      close: () => undefined,
    }
  }
  const { allowPrivateHosts, images, videos, dataDir, imageCacheMb } = config
  const process = createMediaProcess(parts)
  const app = createMediaApp({
    ...parts,
    process,
    fetch: createGuardedFetch({ allowPrivateHosts, log: parts.log }),
    isHidden: (subject) => findTakedown(parts.db, subject) !== undefined,
    dataDir,
    hasImages: images === 'own',
    hasVideos: videos === 'own',
    maxCacheBytes: imageCacheMb * MEGABYTE,
  })
  const patterns = ['/img/*', '/video/*']
  const charges = [{ patterns, route: 'media', points: 1, from: 'media' } as const]
  return { routes: [{ path: '/', app, charges }], counts: process.counts, close: process.close }
}
