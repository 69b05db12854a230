// Labelers left alone for a while: those whose stream broke a limit, or was open when the process ended
// without closing it, which the labeler may have caused. The quarantine is saved in the labeler's row, so it
// survives restarts. Each further strike makes it four times longer; clean time clears all strikes.

import { MINUTE_MS } from '../../base/util/durations.ts'
import {
  allLabelers,
  clearLabelerStrikes,
  type LabelerRow,
  labelerRow,
  markLabelerOpen,
  quarantineLabeler,
} from '../../data/store/moderation/labelers.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import type { LabelsContext } from './labels-context.ts'

export type Quarantine = {
  isFree(row: LabelerRow): boolean
  /** Records that this labeler's stream is about to open, or was closed in order. */
  mark(uid: number, isOpen: boolean): void
  broke(uid: number, reason: string): void
  /** Milliseconds until the next quarantine ends; undefined if there is none. */
  nextMs(): number | undefined
  stop(): void
}

const GROWTH = 4

export function createQuarantine(
  context: Pick<
    LabelsContext,
    'actors' | 'db' | 'limits' | 'log' | 'now' | 'writer' | 'writeRetry'
  >,
): Quarantine {
  const { actors, db, limits, log, now, writer, writeRetry } = context
  const cleaning = new Map<number, NodeJS.Timeout>()

  function strike(row: LabelerRow, reason: string, baseMs: number): void {
    const waitMs = Math.min(baseMs * GROWTH ** Math.min(row.strikes, 20), limits.maxQuarantineMs)
    const until = now() + waitMs
    write(({ db }) => quarantineLabeler(db, row.uid, { reason, until }))
    log.warn?.(
      { did: actors.didOf(row.uid), reason, minutes: Math.round(waitMs / MINUTE_MS) },
      'pausing requests to a labeler',
    )
  }

  function write(work: (ctx: IndexContext) => void): void {
    writeRetry.ifThereIsSpace(() => writer.commit(work))
  }

  for (const row of allLabelers(db)) {
    if (row.open_since === null) continue
    strike(row, 'the process ended while its stream was open', limits.crashQuarantineMs)
  }

  return {
    isFree: ({ quarantined_until: until }) => until === null || until <= now(),
    mark(uid, isOpen) {
      write(({ db }) => markLabelerOpen(db, uid, isOpen ? now() : null))
      clearTimeout(cleaning.get(uid))
      cleaning.delete(uid)
      if (!isOpen) return
      const clean = () => write(({ db }) => clearLabelerStrikes(db, uid))
      cleaning.set(uid, setTimeout(clean, limits.cleanAfterMs).unref())
    },
    broke(uid, reason) {
      const row = labelerRow(db, uid)
      if (row) strike(row, reason, limits.quarantineMs)
    },
    nextMs() {
      const ends = allLabelers(db).flatMap(({ quarantined_until: until }) =>
        until !== null && until > now() ? [until] : [],
      )
      return ends.length === 0 ? undefined : Math.max(Math.min(...ends) - now(), 1)
    },
    stop() {
      for (const timer of cleaning.values()) clearTimeout(timer)
    },
  }
}
