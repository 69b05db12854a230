// Metrics of pictures and videos, and of how long videos are watched: sums over all serving threads, without
// what was watched or by which viewer.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import type { ThreadGauge } from '../../base/obs/request-counters.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import { sumOfThreads } from './thread-samples.ts'

type Parts = { status: () => IngestStatus | undefined; requests: SharedArrayBuffer }

export function mediaMetrics(parts: Parts): MetricSource[] {
  return [...blobMetrics(parts), ...watchMetrics(parts)]
}

function blobMetrics({ requests }: Parts): MetricSource[] {
  const summed = (name: ThreadGauge) => single(sumOfThreads(requests, name))
  return [
    counter(
      'media_refused_total',
      'Blobs that were no picture or video, or too large a one (IMAGES or VIDEOS is own).',
      () => summed('mediaRefused'),
    ),
    counter(
      'media_process_ends_total',
      'Times that the media process ended with a job in it: for its memory, its time, or by itself.',
      () => summed('mediaDied'),
    ),
    counter(
      'video_playlists_total',
      'Players’ requests for playlists that were answered: made here, or elsewhere, which sends the player to the service’s own.',
      () =>
        byLabel('from', {
          here: sumOfThreads(requests, 'playlistsMade'),
          elsewhere: sumOfThreads(requests, 'playlistsElsewhere'),
        }),
    ),
    gauge('media_pinned_bytes', 'Bytes of media that are kept for good (MEDIA_PIN).', () =>
      summed('pinnedBytes'),
    ),
    gauge(
      'media_pinned_missing',
      'Blobs of pinned accounts that could not be had yet, or for which MEDIA_PIN_MB has no room.',
      () => summed('pinnedMissing'),
    ),
    gauge('media_jobs', 'Pictures and videos that wait for the media process, or are in it.', () =>
      summed('mediaPending'),
    ),
  ]
}

function watchMetrics({ status, requests }: Parts): MetricSource[] {
  const summed = (name: ThreadGauge) => sumOfThreads(requests, name)
  const watched = (what: string) => single(status()?.counts['videoWatched']?.[what])
  return [
    counter(
      'video_watched_seconds_total',
      'Of videos that players were given, each piece once for a session.',
      () => watched('seconds'),
    ),
    counter('video_sessions_total', 'Viewers’ sessions that began to watch a video.', () =>
      watched('sessions'),
    ),
    counter(
      'video_uncounted_total',
      'Sessions and pieces of videos that were not counted, by why: an address’s limit, no session of ours or one that is over, want of room.',
      () =>
        byLabel('reason', {
          'too-many-sessions': summed('watchTooMany'),
          'no-session-of-ours': summed('watchUnknown'),
          'too-many-waiting': summed('watchDropped'),
          ...status()?.counts['videosUncounted'],
        }),
    ),
  ]
}
