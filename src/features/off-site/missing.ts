// What the settings of the off-site backup lack. It imports little, since the list of features waits for it.

import { settingsLocation } from '../../base/util/installation.ts'

type Given = {
  offSiteTo?: string | undefined
  offSiteKey?: string | undefined
  offSiteAccessKey?: string | undefined
  offSiteSecretKey?: string | undefined
}

/** @returns undefined if they are complete, or there is to be no off-site backup */
export function missingIn(settings: Given): { message: string; hint: string } | undefined {
  const { offSiteTo, offSiteKey, offSiteAccessKey, offSiteSecretKey } = settings
  if (offSiteTo === undefined) return undefined
  if (offSiteKey === undefined) {
    return {
      message: 'The off-site backup has no key: SLIPSTREAM_OFF_SITE_KEY is not set.',
      hint: `\`slipstream backup --new-key\` makes one. Set it in ${settingsLocation()}, and keep a copy elsewhere.`,
    }
  }
  if (offSiteAccessKey !== undefined && offSiteSecretKey !== undefined) return undefined
  return {
    message: `The off-site backup may not write to ${offSiteTo}: it has no access key.`,
    hint: `Set SLIPSTREAM_OFF_SITE_ACCESS_KEY and SLIPSTREAM_OFF_SITE_SECRET_KEY in ${settingsLocation()}.`,
  }
}
