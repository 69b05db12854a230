// Checks whether the caches of pictures and videos fit on the disk.

import { resolve } from 'node:path'
import { readDiskUse } from '../../../data/store/files/disk-use.ts'
import type { DoctorContext } from '../../../tools/doctor/context.ts'
import { gigabytes, nearestFolder } from '../../../tools/doctor/disk.ts'
import { type Finding, wrong } from '../../../tools/doctor/finding.ts'
import { type MediaConfig, mediaConfig } from '../media-config.ts'

const MB = 1e6

export function checkCaches({ config }: DoctorContext): Finding[] {
  const { freeBytes } = readDiskUse(nearestFolder(resolve(config.dataDir)))
  return aboutCaches({ freeBytes, cacheBytes: cacheBytes(mediaConfig(config)) })
}

function cacheBytes(config: MediaConfig): number {
  const { images, videos, imageCacheMb, mediaPin, mediaPinMb } = config
  const pinMb = mediaPin.length > 0 && videos === 'own' ? mediaPinMb : 0
  const cacheMb = images === 'own' || videos !== 'cdn' ? imageCacheMb : 0
  return (cacheMb + pinMb) * MB
}

export function aboutCaches({
  freeBytes,
  cacheBytes,
}: {
  freeBytes: number
  cacheBytes: number
}): Finding[] {
  if (cacheBytes <= freeBytes) return []
  const text = `SLIPSTREAM_IMAGE_CACHE_MB allows ${gigabytes(cacheBytes)}, more than is free`
  return [wrong(text, `Set it to ${Math.floor(freeBytes / 2e6)} or less.`)]
}
