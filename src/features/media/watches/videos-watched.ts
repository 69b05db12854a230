import { DAY_MS } from '../../../base/util/durations.ts'
import type { Db } from '../../../data/store/db.ts'
import { videoDays } from '../store/video-watches.ts'

type WatchedDay = { date: string; seconds: number; sessions: number }

/** Total watching time per day; latest first, at most thirty days. */
export type VideosWatched = readonly WatchedDay[]

const VIDEO_DAYS = 30

/** As shown by the command line and the explore page. */
export function videosWatched(db: Db): VideosWatched {
  return videoDays(db, VIDEO_DAYS).map(({ day, milliseconds, sessions }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    return { date, seconds: Math.round(milliseconds / 1000), sessions }
  })
}
