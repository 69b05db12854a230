import type { MediaConfig } from '../media-config.ts'
import { type PinStatus, readPinStatus } from './pinned-files.ts'

export type PinnedMedia = PinStatus & { roomMb: number }

/** Undefined if nothing is pinned by these settings. */
export async function pinnedMedia(
  config: Pick<MediaConfig, 'dataDir' | 'mediaPin' | 'mediaPinMb'>,
): Promise<PinnedMedia | undefined> {
  if (config.mediaPin.length === 0) return undefined
  const status = await readPinStatus(config.dataDir)
  return status && { ...status, roomMb: config.mediaPinMb }
}
