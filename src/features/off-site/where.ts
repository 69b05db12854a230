// Where the backup goes, from the settings, complete or with what is missing.

import { ConfigError } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { S3Options } from './bucket/s3.ts'
import { missingIn } from './missing.ts'
import { offSiteSettings } from './settings.ts'

type Where = { s3: S3Options; key: string }

/** @param url - in place of SLIPSTREAM_OFF_SITE_TO. @throws ConfigError naming what is missing */
export function whereTo(config: object, url?: string): Where {
  const settings = settingsOf(config, offSiteSettings)
  const { offSiteRegion: region, offSiteKey: key } = settings
  const { offSiteAccessKey: accessKeyId, offSiteSecretKey: secretAccessKey } = settings
  const to = url ?? settings.offSiteTo
  const missing = missingIn({ ...settings, offSiteTo: to })
  if (missing) throw new ConfigError(missing.message, missing.hint)
  const endpoint = settings.offSiteEndpoint ?? `https://s3.${region}.amazonaws.com`
  return {
    s3: {
      url: to!,
      endpoint,
      region,
      accessKeyId: accessKeyId!,
      secretAccessKey: secretAccessKey!,
    },
    key: key!,
  }
}
