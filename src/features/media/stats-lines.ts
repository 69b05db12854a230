// Pictures and videos in `slipstream stats`.

import type { FeatureReport } from '../../http/operator/feature-report.ts'
import { megabytes, thousands } from '../../tools/cli/terminal.ts'
import type { PinnedMedia } from './pins/pinned-media.ts'
import type { VideosWatched } from './watches/videos-watched.ts'

type Line = [name: string, value: string]

export function mediaLines({ facts, status }: FeatureReport): Line[] {
  return [
    ...watched((facts['videosWatched'] ?? []) as VideosWatched),
    ...pins(status['pinned'] as PinnedMedia | undefined),
  ]
}

function watched(days: VideosWatched): Line[] {
  if (days.length === 0) return []
  const seconds = days.reduce((sum, value) => sum + value.seconds, 0)
  const sessions = days.reduce((sum, value) => sum + value.sessions, 0)
  const hours = (seconds / 3600).toFixed(1)
  const since = days.at(-1)!.date
  return [['videos watched', `${hours} hours by ${thousands(sessions)} viewers since ${since}`]]
}

function pins(pinned: PinnedMedia | undefined): Line[] {
  if (!pinned) return []
  const { bytes, missing, isFull, roomMb } = pinned
  const usage = `${megabytes(bytes)} of ${thousands(roomMb)} MB${isFull ? ', full' : ''}`
  return [['pinned media', `${usage}, ${thousands(missing)} blobs missing`]]
}
