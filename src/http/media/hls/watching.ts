// What the routes of videos know of watching: a session for whoever begins, in addresses below the playlist; and what
// its pieces say of it. Whatever has no session plays as it would with one.

import { DAY_MS } from '../../../base/util/durations.ts'
import type { VideoPosts } from './captions.ts'
import type { WatchLog } from './watch-log.ts'
import type { Shown, WatchSessions } from './watch-sessions.ts'

export type Watching = {
  /** A new session, as its addresses have it behind them; '' for nothing that is counted. */
  begin(shown: Shown, visitor: string | undefined): string
  /** The same for a session that came with a request; '' for none of ours. */
  goOn(shown: Shown, token: string): string
  watched(shown: Shown, token: string, piece: { number: number; seconds: number }): void
  counts(): WatchCounts
  close(): void
}

/** What was not counted, by why. */
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
  const watchOf = ({ name, rkey }: Shown) => {
    return { uid: uidOf(name.did), rkey, day: Math.floor(now() / DAY_MS) }
  }

  return {
    begin(shown, visitor) {
      if (!posts.shows(shown.name, shown.rkey)) return ''
      const token = sessions.begin(shown, visitor)
      if (token === undefined) counts.tooMany += 1
      return token === undefined ? '' : behind(shown, token)
    },
    goOn: (shown, token) => (sessions.read(shown, token) ? behind(shown, token) : ''),
    watched(shown, token, { number, seconds }) {
      if (token === '') return
      const session = sessions.read(shown, token)
      if (!session) counts.unknown += 1
      else log.note({ ...session, ...watchOf(shown), segment: number, milliseconds: ms(seconds) })
    },
    counts: () => ({ ...counts, dropped: log.dropped() }),
    close: log.close,
  }
}

function behind({ rkey }: Shown, token: string): string {
  return `?post=${encodeURIComponent(rkey)}&s=${token}`
}

function ms(seconds: number): number {
  return Math.round(seconds * 1000)
}
