// The settings of the off-site backup.

import { integer, text, Unfit, url } from '../../base/config/parsers.ts'
import { hidden, optional, setting } from '../../base/config/setting.ts'

export const offSiteSettings = {
  offSiteTo: optional(
    'OFF_SITE_TO',
    s3Url,
    'Where to copy the database, members’ private state, pins and settings while the server runs, encrypted: s3://BUCKET or s3://BUCKET/PREFIX of any S3-compatible store (docs/OPERATING.md). Each server needs a prefix of its own. Unset: nowhere.',
  ),
  offSiteKey: hidden(
    optional(
      'OFF_SITE_KEY',
      ageKey,
      'The age key (AGE-SECRET-KEY-1…) that encrypts the off-site backup. `slipstream backup --new-key` makes one. Keep a copy elsewhere: without it nobody can read the backup.',
    ),
  ),
  offSiteEndpoint: optional(
    'OFF_SITE_ENDPOINT',
    url('http:', 'https:'),
    'Address of the S3-compatible store, such as https://s3.example.net. Unset: Amazon’s, in OFF_SITE_REGION.',
  ),
  offSiteRegion: setting('OFF_SITE_REGION', 'us-east-1', text, 'Region of the bucket.'),
  offSiteAccessKey: optional('OFF_SITE_ACCESS_KEY', text, 'Access key ID for the bucket.'),
  offSiteSecretKey: hidden(
    optional('OFF_SITE_SECRET_KEY', text, 'Secret access key for the bucket.'),
  ),
  offSiteSeconds: setting(
    'OFF_SITE_SECONDS',
    '60',
    integer(1, 86_400),
    'Seconds between copies of what changed.',
  ),
  offSiteKeepDays: setting(
    'OFF_SITE_KEEP_DAYS',
    '7',
    integer(1, 3_650),
    'Days for which the last whole copy of each day is kept off-site; of the four weeks before, one each.',
  ),
  offSiteTrialDays: setting(
    'OFF_SITE_TRIAL_DAYS',
    '7',
    integer(0, 365),
    'Days between trial restores of the off-site backup, which need room for a second database in the data folder. 0: none.',
  ),
}

const URL_FORM = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/

export function s3Url(value: string): string {
  const found = value.trim()
  if (URL_FORM.test(found)) return found.replace(/\/$/, '')
  throw new Unfit('s3://BUCKET or s3://BUCKET/PREFIX')
}

function ageKey(value: string): string {
  const found = value.trim()
  if (/^AGE-SECRET-KEY-1[0-9A-Z]{58}$/.test(found)) return found
  throw new Unfit('an age key, as `slipstream backup --new-key` prints')
}
