import { integer } from './parsers.ts'
import { setting } from './setting.ts'

export const streamBytesSettings = {
  streamAllowanceGbMonth: setting(
    'STREAM_ALLOWANCE_GB_MONTH',
    '0',
    integer(0, 1_000_000),
    'Gigabytes a month (30 days) that the streams may receive before the doctor and the status page warn; nothing is left out for it. 0: no limit.',
  ),
}
