// A public AppView (appview-double.ts) that is asked as our server asks it.

import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { createCountBuffer } from '../../../src/data/shared-memory/count-table.ts'
import { fromAppview } from '../../../src/features/fallback/answering/from-appview.ts'
import { createFallback, type Fallback } from '../../../src/features/fallback/appview/fallback.ts'
import { createCounted } from '../../../src/features/fallback/counts/counted.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createQuotas } from '../../../src/sources/quota.ts'
import type { AppviewDouble } from '../../support/appview-double.ts'
import type { ServingOptions } from '../../support/serving-world.ts'

export type AskingOptions = { now?: () => number; maxWaitMs?: number }

/** Media URLs of its own, distinct from Bluesky's and from ours. */
export const OWN_URLS = createMediaUrls({
  imageUrlPattern: 'https://media.ours.test/img/{preset}/plain/{did}/{cid}',
  videoPlaylistUrlPattern: 'https://media.ours.test/video/{did}/{cid}/playlist.m3u8',
  videoThumbnailUrlPattern: 'https://media.ours.test/video/{did}/{cid}/thumbnail.jpg',
})

/** No other private address is reachable. */
export function fallbackTo(
  { origin }: Pick<AppviewDouble, 'origin'>,
  options: AskingOptions = {},
): Fallback {
  const fetch = createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [origin] })
  return createFallback({
    origin,
    fetch,
    lexicons: loadLexicons(),
    urls: OWN_URLS,
    quota: createQuotas(createCountBuffer(64), options).of(origin),
    // A loaded machine is slow, which is no failure.
    maxWaitMs: 20_000,
    ...options,
  })
}

/** For `createServingWorld({ elsewhere: asking(double) })`; `isCounting`: earlier counts are shown. */
export function asking(
  double: Pick<AppviewDouble, 'origin'>,
  { isCounting = false, ...options }: AskingOptions & { isCounting?: boolean } = {},
): NonNullable<ServingOptions['elsewhere']> {
  return (parts) =>
    fromAppview({
      fallback: fallbackTo(double, options),
      counted: isCounting ? createCounted(parts) : undefined,
    })
}
