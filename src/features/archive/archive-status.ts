// Progress of reading the archive, as the ingest thread reports it: until it is complete, there are no live events.

import type { IngestStatus } from '../../bridge/messages.ts'
import type { ArchiveProgress } from './store/archives.ts'

export type ArchiveStatus = Pick<
  ArchiveProgress,
  'host' | 'seq' | 'tipSeq' | 'startedAt' | 'events' | 'bytes' | 'dayBytes' | 'lostBlocks'
> & {
  state: 'reading' | 'waiting' | 'done'
  /** 0 to 100. */
  percent: number
  /** Time of the latest event, microseconds since 1970; undefined before the first. */
  reachedUs: number | undefined
  /** `quota`: the host's, or ours; `refused`: the operator must act; `away`: unreachable. */
  waiting: { why: 'quota' | 'refused' | 'away'; until: number; message: string } | undefined
}

/** Undefined if the stream does not begin with the archive, or finished it long ago. */
export function archiveIn(status: IngestStatus | undefined): ArchiveStatus | undefined {
  return (status as { archive?: ArchiveStatus } | undefined)?.archive
}
