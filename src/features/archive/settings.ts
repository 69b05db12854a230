// The settings of a start from the archive.

import { flag, integer, secret } from '../../base/config/parsers.ts'
import { hidden, optional, setting } from '../../base/config/setting.ts'

export const archiveSettings = {
  archive: setting(
    'ARCHIVE',
    'off',
    flag,
    'With INDEX_SCOPE=network: read the network’s whole history from the first Jetstream host’s archive, then continue live. Needs v2, a key if the host requires one, and disk for all of it.',
  ),
  archiveKey: hidden(
    optional('ARCHIVE_KEY', secret, 'API key for the archive, which is metered by bytes.'),
  ),
  archiveDailyGb: setting(
    'ARCHIVE_DAILY_GB',
    '0',
    integer(0, 1_000_000),
    'Maximum gigabytes to fetch from the archive per day (UTC); the rest waits for the next day. 0: no limit.',
  ),
}
