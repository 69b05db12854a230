// Pinned media on the first tab of the explore page.

import type { Config } from '../../../base/config/config.ts'
import { bytes, plural } from '../../../base/util/format.ts'
import type { OverviewRow } from '../../../http/operator/explored.ts'
import { type MediaConfig, mediaConfig } from '../media-config.ts'
import { type PinStatus, readPinStatus } from './pinned-files.ts'

const MEGABYTE = 1 << 20

export async function aboutPins(config: Config): Promise<OverviewRow[]> {
  const { dataDir, mediaPin, mediaPinMb } = mediaConfig(config)
  const pins = mediaPin.length > 0 ? await readPinStatus(dataDir) : undefined
  return pins ? [rowOf(pins, { mediaPinMb })] : []
}

function rowOf(
  { bytes: taken, missing, isFull }: PinStatus,
  { mediaPinMb }: Pick<MediaConfig, 'mediaPinMb'>,
): OverviewRow {
  const text = `${bytes(taken)} of ${bytes(mediaPinMb * MEGABYTE)}`
  if (isFull) {
    const advice = 'Raise SLIPSTREAM_MEDIA_PIN_MB, or name fewer accounts in SLIPSTREAM_MEDIA_PIN.'
    return { name: 'Pinned media', text: `${text}: full. ${advice}`, level: 'bad' }
  }
  if (missing === 0) return { name: 'Pinned media', text: `${text}, complete`, level: 'good' }
  const incomplete = `${text}; ${plural(missing, 'blob')} not fetched yet; they are retried`
  return { name: 'Pinned media', text: incomplete, level: 'notice' }
}
