// The serving threads' part: a step around the answers of methods.

import { createMediaUrls } from '../../answers/views/media-urls.ts'
import { loadLexicons } from '../../base/atproto/lexicons/lexicons.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import type { Elsewhere, ElsewhereContext } from '../../http/xrpc/elsewhere.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { fromAppview } from './answering/from-appview.ts'
import { rules } from './answering/rules.ts'
import { createFallback } from './appview/fallback.ts'
import { createCounted } from './counts/counted.ts'
import { fallbackSettings } from './settings.ts'

export const serve: ServeFeature = {
  elsewhere: askPublicAppview,
  answersWhen: Object.fromEntries(Object.entries(rules).map(([nsid, { when }]) => [nsid, when])),
}

/** Undefined if the operator uses no public AppView. */
function askPublicAppview(context: ElsewhereContext): Elsewhere | undefined {
  const { config, log, db, writer, quotas } = context
  const { fallbackAppview: origin } = settingsOf(config, fallbackSettings)
  if (origin === 'none') return undefined
  return fromAppview({
    fallback: createFallback({
      origin,
      fetch: createGuardedFetch({ ...config, trustedOrigins: [origin], log }),
      lexicons: loadLexicons(),
      urls: createMediaUrls(config),
      quota: quotas.of(new URL(origin).host),
      log,
    }),
    counted: createCounted({ db, scope: config.indexScope, writer }),
  })
}
