// Facts read from the database alone, so they are the same with or without a running server.

import { countFollows, highestIds } from '../../data/store/counts/counts.ts'
import type { Db } from '../../data/store/db.ts'
import { countLeftOut } from '../../data/store/fetching/backfills.ts'
import { countJobsRoughly } from '../../data/store/fetching/jobs.ts'
import { type DiskUse, readDiskUse } from '../../data/store/files/disk-use.ts'
import { countMembers } from '../../data/store/members/members.ts'
import { schemaOf } from '../../data/store/migrate.ts'
import { quarantinedLabelers } from '../../data/store/moderation/labelers.ts'
import { countActors } from '../../data/store/records/actors.ts'
import { type GapCounts, gapCounts } from '../../data/store/stream/gaps.ts'
import { type StreamBytesFacts, streamBytes } from '../../data/store/stream/stream-bytes.ts'
import {
  type StreamChoiceFacts,
  streamChoiceFacts,
} from '../../data/store/stream/stream-choices.ts'
import { firehoseCursors, streamCursors } from '../../data/store/stream/stream-cursors.ts'

export type Facts = {
  schema: number
  disk: DiskUse
  members: number
  actors: number
  follows: number
  /** Posts ever stored, including those only referenced. */
  posts: number
  reposts: number
  /** 20,000 means that many or more. */
  jobs: number
  /** At least how many records exceeded cold starts' limits, and are fetched slowly. */
  recordsLater: number
  gaps: GapCounts
  /**
   * Labelers whose streams are paused: they exceeded a limit, or were open when the process died.
   */
  quarantinedLabelers: { did: string; reason: string; until: string }[]
  /** Time up to which each stream was ingested; latest first. Empty before the first event. */
  streams: { host: string; wire: string; at: string }[]
  /** What the streams received, in bytes. */
  traffic: StreamBytesFacts
  /** What the stream leaves out, and what each choice would cost. */
  streamChoice: StreamChoiceFacts
}

/** @param follows - their number, if known; counting reads all accounts. */
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
    traffic: streamBytes(db, Date.now()),
    streamChoice: streamChoiceFacts(db),
    streams: [...streamCursors(db), ...firehoseCursors(db)]
      .filter(({ isByClock }) => !isByClock)
      .map(({ host, wire, timeUs }) => {
        return { host, wire, at: new Date(timeUs / 1000).toISOString() }
      }),
  }
}
