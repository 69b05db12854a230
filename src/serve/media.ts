// The media routes, where the operator wants pictures or videos from here (`IMAGES=own`, `VIDEOS=own`). Blobs are fetched by a
// way of their own, so that a screen full of pictures keeps nobody's sign-in and no feed waiting.

import type { Config } from '../config.ts'
import type { ActorReader } from '../graph/types.ts'
import { createGuardedFetch } from '../identity/guarded-fetch.ts'
import type { Resolver } from '../identity/resolver.ts'
import { createMediaApp } from '../media/media-app.ts'
import type { Logger } from '../obs/log.ts'
import type { Beside } from '../xrpc/beside.ts'

const MEGABYTE = 1 << 20

/** For `beside` of the server. */
export function mediaRoutes(
  config: Config,
  parts: { log: Logger; actors: ActorReader; resolver: Resolver },
): Beside[] {
  if (config.images === 'cdn' && config.videos === 'cdn') return []
  const { allowPrivateHosts, images, videos, dataDir, imageCacheMb, serveThreads } = config
  const app = createMediaApp({
    ...parts,
    fetch: createGuardedFetch({ allowPrivateHosts, log: parts.log }),
    dataDir,
    hasImages: images === 'own',
    hasVideos: videos === 'own',
    maxCacheBytes: imageCacheMb * MEGABYTE,
    maxRendering: serveThreads === 1 ? 2 : 1,
  })
  const patterns = ['/img/*', '/video/*']
  return [{ path: '/', app, charges: [{ patterns, route: 'media', points: 1, from: 'media' }] }]
}
