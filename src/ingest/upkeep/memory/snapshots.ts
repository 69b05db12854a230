// When the snapshots of accounts and follow graph are written: as soon as the journal has grown enough, or at
// the next request if the start found none, in steps of about two milliseconds between batches; at shutdown
// the rest is written at once.

import { dirname } from 'node:path'
import type { SharedFollowGraph } from '@slipstream/follow-graph'
import type { Logger } from '../../../base/obs/log.ts'
import { InvariantError } from '../../../base/util/assert.ts'
import type { ActorTable } from '../../../data/graph/actor-table.ts'
import type { Db } from '../../../data/store/db.ts'
import { copyLog } from '../../../data/store/files/checkpoint.ts'
import { readDiskUse } from '../../../data/store/files/disk-use.ts'
import { removeLeftovers } from '../../../data/store/files/snapshots.ts'
import { countGraphChanges } from '../../../data/store/records/graph-changes.ts'
import { savingMemory } from '../../indexing/memory/graph-snapshot.ts'
import type { Writer } from '../../indexing/writer.ts'

/** Of the accounts' snapshot, and of the graph's without its follows, a bit more than they take. */
const BYTES_AN_ACCOUNT = 32
/** In both directions. */
const BYTES_A_FOLLOW = 8
/** Between two steps: waiting work comes first, and half the time is left to it. */
const PAUSE_MS = 2
/** Steps between two looks at the database's log. */
const STEPS_A_CHECKPOINT = 8

export type SnapshotSaver = {
  /** Starts writing if at least `minChanges` follows changed and no snapshot is being written. */
  startIfWorth(minChanges: number): void
  /**
   * Completes a snapshot in progress, or writes one if anything changed or one is owed: nothing is
   * written after this.
   */
  finish(): void
  /** Leaves the log to `tend` (checkpoints.ts); until then a step copies it now and then. */
  checkpointBy(tend: () => Promise<void> | undefined): void
}

export type SavedMemory = {
  graph: SharedFollowGraph
  actors: ActorTable
  /**
   * No snapshot was readable at start: writes one however few changes there are, so that the next
   * start is fast.
   */
  isPending?: boolean
}

type SnapshotContext = SavedMemory & {
  db: Db
  /**
   * Disk space that stays free: a snapshot is only a copy, and must not take the room that rows
   * need.
   */
  reserveBytes?: number
  writer: Pick<Writer, 'commit'>
  log: Pick<Logger, 'info' | 'warn'>
}

export function saveSnapshots(options: SnapshotContext): SnapshotSaver {
  const { db, writer, graph, actors, log } = options
  let isPending = options.isPending ?? false
  let saving: Generator<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let startedAt = 0
  let steps = 0
  let longestMs = 0
  let tend = (): Promise<void> | undefined => {
    copyLog(db)
    return undefined
  }

  function isWorth(minChanges: number): boolean {
    return isPending || countGraphChanges(db, minChanges) >= minChanges
  }

  function begin(): void {
    saving = writer.commit((ctx) => savingMemory(ctx.db, { actors, graph }))
    startedAt = performance.now()
    steps = longestMs = 0
  }

  /** @returns whether it was the last step. */
  function step(): boolean {
    const before = performance.now()
    const isDone = advance(options, saving!)
    steps++
    longestMs = Math.max(longestMs, performance.now() - before)
    if (!isDone) return false
    saving = undefined
    isPending = false
    const tookMs = Math.round(performance.now() - startedAt)
    const figures = { follows: graph.edgeCount, tookMs, steps, longestMs: Math.round(longestMs) }
    log.info(figures, 'snapshot written')
    return true
  }

  async function goOn(): Promise<void> {
    try {
      if (steps % STEPS_A_CHECKPOINT === 0) await tend()
      // `finish` may have run while this waited for the log.
      if (saving && !step()) timer = setTimeout(goOn, PAUSE_MS)
    } catch (error) {
      if (error instanceof InvariantError) throw error
      // The old snapshot still exists; the next try starts over.
      saving = undefined
      log.warn({ err: error }, 'snapshot not written')
    }
  }

  return {
    startIfWorth(minChanges) {
      if (saving || !isWorth(minChanges) || !hasCapacity(options)) return
      begin()
      void goOn()
    },
    finish() {
      clearTimeout(timer)
      if (!saving && (!isWorth(1) || !hasCapacity(options))) return
      if (!saving) begin()
      while (!step());
    },
    checkpointBy(by) {
      tend = by
    },
  }
}

/** An abandoned file takes no room. @returns whether it was the last step */
function advance({ db, writer }: SnapshotContext, saving: Generator<void>): boolean {
  try {
    return writer.commit(() => saving.next()).done === true
  } catch (error) {
    removeLeftovers(db)
    throw error
  }
}

function hasCapacity({ db, graph, actors, log, reserveBytes = 0 }: SnapshotContext): boolean {
  const { freeBytes } = readDiskUse(dirname(db.name))
  const neededBytes = actors.count * BYTES_AN_ACCOUNT + graph.edgeCount * BYTES_A_FOLLOW
  if (freeBytes - reserveBytes >= neededBytes) return true
  log.warn({ freeBytes, reserveBytes, neededBytes }, 'snapshot not written: the disk has no room')
  return false
}
