// What the rows tell of themselves: the same with a server running and without.

import { DAY_MS } from '../../base/util/durations.ts'
import { countActors } from '../../data/store/actors.ts'
import { countLeftOut } from '../../data/store/backfills.ts'
import { countFollows, highestIds } from '../../data/store/counts.ts'
import type { Db } from '../../data/store/db.ts'
import { type GapCounts, gapCounts } from '../../data/store/gaps.ts'
import { countJobsRoughly } from '../../data/store/jobs.ts'
import { quarantinedLabelers } from '../../data/store/labelers.ts'
import { countMembers } from '../../data/store/members.ts'
import { schemaOf } from '../../data/store/migrate.ts'
import { streamCursors } from '../../data/store/stream-cursors.ts'
import { videoDays } from '../../data/store/video-watches.ts'
import { type DiskUse, readDiskUse } from '../../ingest/upkeep/disk-use.ts'

export type Facts = {
  schema: number
  disk: DiskUse
  members: number
  actors: number
  follows: number
  /** Ever stored, those included that are only pointed at. */
  posts: number
  reposts: number
  /** 20,000 stands for as many or more. */
  jobs: number
  /** Records that were more than cold starts may bring, and are fetched slowly; at least so many. */
  recordsLater: number
  gaps: GapCounts
  /** Whose streams are left alone for a while: they broke a limit, or were open when the process died. */
  quarantinedLabelers: { did: string; reason: string; until: string }[]
  /** For how long videos were watched, all together; the latest day first, thirty at most. */
  videosWatched: { date: string; seconds: number; sessions: number }[]
  /** Up to when each stream was taken in; the latest first. */
  streams: { host: string; wire: string; at: string }[]
}

const VIDEO_DAYS = 30

/** @param follows - how many, where that is known; counting reads all accounts. */
export function readFacts(db: Db, dataDir: string, follows?: number): Facts {
  return {
    schema: schemaOf(db),
    disk: readDiskUse(dataDir),
    members: countMembers(db),
    actors: countActors(db),
    follows: follows ?? countFollows(db),
    ...highestIds(db),
    jobs: countJobsRoughly(db),
    recordsLater: countLeftOut(db),
    gaps: gapCounts(db),
    quarantinedLabelers: quarantinedLabelers(db, Date.now()).map(({ did, reason, until }) => {
      return { did, reason, until: new Date(until).toISOString() }
    }),
    videosWatched: videosWatched(db),
    streams: streamCursors(db).map(({ host, wire, timeUs }) => {
      return { host, wire, at: new Date(timeUs / 1000).toISOString() }
    }),
  }
}

/** As the command line and the explore view show it. */
export function videosWatched(db: Db): Facts['videosWatched'] {
  return videoDays(db, VIDEO_DAYS).map(({ day, milliseconds, sessions }) => {
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    return { date, seconds: Math.round(milliseconds / 1000), sessions }
  })
}
