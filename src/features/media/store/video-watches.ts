// Watch time of videos, by post and day: sums of the video that players requested, without any data about
// viewers.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

/** `day`: UTC, since 1970. */
type VideoDay = { uid: number; rkey: PackedRkey; day: number }
type VideoSums = { milliseconds: number; sessions: number }
export type VideoWatchRow = Omit<VideoDay, 'uid'> & VideoSums
export type VideoWatchPosition = { day: number; rkey: PackedRkey }

const ROW = 'day, rkey, milliseconds, sessions'

const statements = perDatabase((db) => ({
  add: db.prepare<[VideoDay & VideoSums]>(
    `INSERT INTO video_watches (uid, day, rkey, milliseconds, sessions)
      VALUES (@uid, @day, @rkey, @milliseconds, @sessions)
      ON CONFLICT DO UPDATE SET milliseconds = milliseconds + excluded.milliseconds,
        sessions = sessions + excluded.sessions`,
  ),
  addDay: db.prepare<[{ day: number } & VideoSums]>(
    `INSERT INTO video_days (day, milliseconds, sessions) VALUES (@day, @milliseconds, @sessions)
      ON CONFLICT DO UPDATE SET milliseconds = milliseconds + excluded.milliseconds,
        sessions = sessions + excluded.sessions`,
  ),
  days: db.prepare<[number], { day: number } & VideoSums>(
    'SELECT day, milliseconds, sessions FROM video_days ORDER BY day DESC LIMIT ?',
  ),
  pruneDays: db.prepare<[number]>('DELETE FROM video_days WHERE day < ?'),
  has: db
    .prepare<[VideoDay], number>(
      'SELECT 1 FROM video_watches WHERE uid = @uid AND day = @day AND rkey = @rkey',
    )
    .pluck(),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM video_watches WHERE day = ?').pluck(),
  prune: db.prepare<[number, number]>(
    `DELETE FROM video_watches WHERE (uid, day, rkey) IN
      (SELECT uid, day, rkey FROM video_watches WHERE day < ? LIMIT ?)`,
  ),
  page: db.prepare<[{ uid: number; limit: number } & VideoWatchPosition], VideoWatchRow>(
    `SELECT ${ROW} FROM video_watches WHERE uid = @uid AND (day, rkey) < (@day, @rkey)
      ORDER BY day DESC, rkey DESC LIMIT @limit`,
  ),
  ofPost: db.prepare<[VideoDay & { limit: number }], VideoWatchRow>(
    `SELECT ${ROW} FROM video_watches WHERE uid = @uid AND rkey = @rkey AND day < @day
      ORDER BY day DESC LIMIT @limit`,
  ),
}))

export function addVideoWatch(db: WriteDb, row: VideoDay & VideoSums): void {
  const { day, milliseconds, sessions } = row
  statements(db).add.run(row)
  statements(db).addDay.run({ day, milliseconds, sessions })
}

/** Totals of all posts, latest day first. */
export function videoDays(db: Db, limit: number): ({ day: number } & VideoSums)[] {
  return statements(db).days.all(limit)
}

export function hasVideoWatch(db: Db, key: VideoDay): boolean {
  return statements(db).has.get(key) !== undefined
}

/** Number of posts with a row for that day. */
export function countVideoWatches(db: Db, day: number): number {
  return statements(db).countOf.get(day) ?? 0
}

/** @returns how many rows of earlier days were deleted */
export function pruneVideoWatches(db: WriteDb, firstDay: number, limit: number): number {
  statements(db).pruneDays.run(firstDay)
  return statements(db).prune.run(firstDay, limit).changes
}

/** For an author's posts, latest day first, below a place. */
export function videoWatchesBelow(
  db: Db,
  request: { uid: number; limit: number } & VideoWatchPosition,
): VideoWatchRow[] {
  return statements(db).page.all(request)
}

/** For one post, latest day first, before `day`. */
export function videoWatchesOf(db: Db, request: VideoDay & { limit: number }): VideoWatchRow[] {
  return statements(db).ofPost.all(request)
}
