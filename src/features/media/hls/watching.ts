// Counts watching for the video routes: adds a session to the URLs in a new viewer's playlist, and logs the
// segments requested with it. Videos play the same without a session.

import { DAY_MS } from '../../../base/util/durations.ts'
import type { VideoPosts } from './captions.ts'
import type { WatchLog } from './watch-log.ts'
import type { WatchedVideo, WatchSessions } from './watch-sessions.ts'

export type Watching = {
  /** Begins a session and returns its query string; '' if it is not counted. */
  begin(video: WatchedVideo, visitor: string | undefined): string
  /** Returns the query string of a request's session; '' if the session is not ours. */
  goOn(video: WatchedVideo, token: string): string
  watched(video: WatchedVideo, token: string, piece: { number: number; seconds: number }): void
  counts(): WatchCounts
  close(): void
}

/** Uncounted views, by reason. */
type WatchCounts = { tooMany: number; unknown: number; dropped: number }

type WatchingOptions = {
  sessions: WatchSessions
  log: WatchLog
  posts: Pick<VideoPosts, 'shows'>
  uidOf: (did: string) => number
  now: () => number
}

export function createWatching(options: WatchingOptions): Watching {
  const { sessions, log, posts, uidOf, now } = options
  const counts = { tooMany: 0, unknown: 0 }
  const watchOf = ({ name, rkey }: WatchedVideo) => {
    return { uid: uidOf(name.did), rkey, day: Math.floor(now() / DAY_MS) }
  }

  return {
    begin(video, visitor) {
      if (!posts.shows(video.name, video.rkey)) return ''
      const token = sessions.begin(video, visitor)
      if (token === undefined) counts.tooMany += 1
      return token === undefined ? '' : behind(video, token)
    },
    goOn: (video, token) => (sessions.read(video, token) ? behind(video, token) : ''),
    watched(video, token, { number, seconds }) {
      if (token === '') return
      const session = sessions.read(video, token)
      if (!session) counts.unknown += 1
      else log.note({ ...session, ...watchOf(video), segment: number, milliseconds: ms(seconds) })
    },
    counts: () => ({ ...counts, dropped: log.dropped() }),
    close: log.close,
  }
}

function behind({ rkey }: WatchedVideo, token: string): string {
  return `?post=${encodeURIComponent(rkey)}&s=${token}`
}

function ms(seconds: number): number {
  return Math.round(seconds * 1000)
}
