// Whether a host still numbers its events as it did: a server set back to a backup, or one that lost its last events,
// gives their numbers to others, and once it is past ours, nothing tells but the event itself. So the last one that was
// received is requested again, and must come first.

import type { StreamCursor } from '@slipstream/jetstream'
import type { RepoFrame } from './frame.ts'

/**
 * `known`: it was received before. `restarted`: it has the place of the event that must come, or what comes is behind
 * that. What is before it, some hosts send as well.
 */
type Standing = 'known' | 'new' | 'restarted'

export type Numbering = {
  /** The cursor to ask for; undefined: the present. */
  readonly from: number | undefined
  /** Of each frame of a connection, in order. */
  standing(frame: RepoFrame): Standing
}

export function createNumbering(last: StreamCursor | undefined): Numbering {
  const seq = last?.seq
  const mark = last?.mark
  // By an older version, no mark was stored, and there is nothing before the first.
  if (seq === undefined || mark === undefined || seq === 0)
    return { from: seq, standing: () => 'new' }
  let isDue = true
  return {
    from: seq - 1,
    standing(frame) {
      if (!isDue || frame.seq === seq - 1) return 'new'
      isDue = false
      return frame.seq === seq && markOf(frame) === mark ? 'known' : 'restarted'
    },
  }
}

export function markOf(frame: RepoFrame): string {
  const at = frame.kind === 'commit' || frame.kind === 'sync' ? frame.rev : frame.timeUs
  return `${frame.kind} ${frame.did} ${at}`
}

/** @returns the account whose commit was the last event before this position */
export function committerAt({ mark = '' }: StreamCursor): string | undefined {
  const [kind, did] = mark.split(' ')
  return kind === 'commit' ? did : undefined
}
