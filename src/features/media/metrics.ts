// Metrics of pictures and videos, and of how long videos are watched: sums over all serving threads, without
// what was watched or by which viewer.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import type { ThreadGauge } from '../../base/obs/request-counters.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'

type Dependencies = { status: () => IngestStatus | undefined; requests: SharedArrayBuffer }

export function mediaMetrics(parts: Dependencies): MetricSource[] {
  return [...blobMetrics(parts), ...watchMetrics(parts)]
}

function blobMetrics({ requests }: Dependencies): MetricSource[] {
  const summed = (name: ThreadGauge) => single(sumOfThreads(requests, name))
  return [
    counter(
      'media_refused_total',
      'Blobs refused as too large, or as not an image or video (IMAGES or VIDEOS is own).',
      () => summed('media.refused'),
    ),
    counter(
      'media_process_ends_total',
      'Times the media process ended during a job: out of memory, timed out, or crashed.',
      () => summed('media.died'),
    ),
    counter(
      'video_playlists_total',
      'Playlist requests answered: with a playlist made here, or elsewhere, with a redirect to the video service’s own.',
      () =>
        byLabel('from', {
          here: sumOfThreads(requests, 'media.playlists_made'),
          elsewhere: sumOfThreads(requests, 'media.playlists_elsewhere'),
        }),
    ),
    gauge('media_pinned_bytes', 'Bytes of media kept permanently (MEDIA_PIN).', () =>
      summed('media.pinned_bytes'),
    ),
    gauge(
      'media_pinned_missing',
      'Blobs of pinned accounts not fetched yet, or without room in MEDIA_PIN_MB.',
      () => summed('media.pinned_missing'),
    ),
    gauge('media_jobs', 'Images and videos waiting for the media process, or in it.', () =>
      summed('media.pending'),
    ),
  ]
}

function watchMetrics({ status, requests }: Dependencies): MetricSource[] {
  const summed = (name: ThreadGauge) => sumOfThreads(requests, name)
  const watched = (what: string) => single(status()?.counts['videoWatched']?.[what])
  return [
    counter(
      'video_watched_seconds_total',
      'Seconds of video served, each segment once per session.',
      () => watched('seconds'),
    ),
    counter('video_sessions_total', 'Viewer sessions that began to watch a video.', () =>
      watched('sessions'),
    ),
    counter(
      'video_uncounted_total',
      'Video sessions and segments that were not counted, by reason: an address’s limit, an unknown or ended session, or no room.',
      () =>
        byLabel('reason', {
          'too-many-sessions': summed('media.watch_too_many'),
          'no-session-of-ours': summed('media.watch_unknown'),
          'too-many-waiting': summed('media.watch_dropped'),
          ...status()?.counts['videosUncounted'],
        }),
    ),
  ]
}
