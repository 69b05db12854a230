// The streams that are open: one for each labeler that is followed now, by its row.

import { applyLabels, labelSubject } from '../indexing/label.ts'
import { allLabelers, deleteLabeler, moveLabelerCursor } from '../store/labelers.ts'
import { followLabels, type LabelStream } from './label-stream.ts'
import { findLabeler } from './labeler-identity.ts'
import type { LabelsParts } from './labels-parts.ts'

export type FollowedStreams = {
  /** Opens and closes streams as the rows say, and forgets the labelers named longest ago. */
  follow(): void
  isFollowed(did: string): boolean
  stop(): Promise<void>
}

type Row = { uid: number; did: string; cursor: number | null }

export function createFollowedStreams(
  parts: LabelsParts,
  options: { configured: ReadonlySet<string>; onSkipped: (did: string) => void },
): FollowedStreams {
  const streams = new Map<string, LabelStream>()
  const ending = new Set<Promise<void>>()

  function leave(did: string): void {
    const ended = streams.get(did)!.stop()
    streams.delete(did)
    ending.add(ended)
    void ended.finally(() => ending.delete(ended))
  }

  return {
    follow() {
      const rows = rowsToFollow(parts, options.configured)
      const wanted = new Set(rows.map(({ did }) => did))
      for (const did of [...streams.keys()]) if (!wanted.has(did)) leave(did)
      for (const row of rows) {
        if (!streams.has(row.did)) streams.set(row.did, openStream(parts, row, options.onSkipped))
      }
    },
    isFollowed: (did) => streams.has(did),
    async stop() {
      for (const did of [...streams.keys()]) leave(did)
      await Promise.all(ending)
    },
  }
}

function rowsToFollow(parts: LabelsParts, configured: ReadonlySet<string>): Row[] {
  const { db, actors, indexer, publish, patience, limits } = parts
  const rows = allLabelers(db).map((row) => ({ ...row, did: actors.didOf(row.uid) }))
  const always = rows.filter(({ did }) => configured.has(did))
  const others = rows.filter(({ did }) => !configured.has(did))
  const forgotten = others.slice(limits.maxRemembered)
  if (forgotten.length > 0) {
    const forget = () => {
      for (const { uid } of forgotten) deleteLabeler(db, uid)
    }
    patience.ifThereIsRoom(() => publish(indexer.run(forget)))
  }
  return [...always, ...others.slice(0, limits.maxFollowed)]
}

function openStream(
  parts: LabelsParts,
  { uid, did, cursor }: Row,
  onSkipped: (did: string) => void,
): LabelStream {
  const { db, actors, indexer, publish, patience } = parts
  return followLabels({
    did,
    cursor,
    parts,
    find: (forceRefresh) => findLabeler(parts.resolver, did, { forceRefresh }),
    isKnown: (uri) => labelSubject({ actors }, uri) !== undefined,
    apply(labels, reached) {
      let changed = 0
      const write = () =>
        indexer.run((ctx) => {
          changed = applyLabels(ctx, did, labels)
          moveLabelerCursor(db, uid, reached)
        })
      const isWritten = patience.ifThereIsRoom(() => publish(write()))
      if (isWritten) parts.onApplied?.(changed)
      return isWritten
    },
    onSkipped: () => onSkipped(did),
  })
}
