// Removes the remains of deleted accounts, a slice at a time between the stream's batches, and later the
// private state of those that announced their deletion.

import type { Logger } from '../../base/obs/log.ts'
import { DAY_MS, MINUTE_MS } from '../../base/util/durations.ts'
import { createGate } from '../../base/util/gate.ts'
import type { Db } from '../../data/store/db.ts'
import { membersDeletedBefore } from '../../data/store/members/members.ts'
import {
  deleteRemoval,
  nextRemoval,
  removalsDoneBefore,
} from '../../data/store/removal/removals.ts'
import { deleteGapsOf } from '../../data/store/stream/gaps.ts'
import type { IndexContext } from '../indexing/index-context.ts'
import { forgetPrivateState } from '../indexing/members/private-state-removal.ts'
import { removeSlice } from '../indexing/removal/removal-slices.ts'
import type { Writer } from '../indexing/writer.ts'
import type { DiskSpace } from './disk/disk-space.ts'

const IDLE_MS = 1_000
const PAUSE_MS = 10
/**
 * An account that moves may be called deleted by its old server, and its private state here could
 * not be restored.
 */
const PRIVATE_GRACE_MS = 7 * DAY_MS
const GRACE_CHECK_MS = MINUTE_MS
const AT_ONCE = 100

export function startRemoving(options: {
  db: Db
  writer: Writer
  now: () => number
  log: Pick<Logger, 'info'>
  diskSpace: Pick<DiskSpace, 'ifThereIsSpace'>
}): { stop(): void } {
  const { db, writer, now, log, diskSpace } = options
  let timer = setTimeout(step, PAUSE_MS)
  const mayCheck = createGate(GRACE_CHECK_MS, now)

  function step(): void {
    const uid = nextRemoval(db)
    if (uid !== undefined) {
      const began = performance.now()
      diskSpace.ifThereIsSpace(() => writer.commit((ctx) => void removeSlice(ctx, uid)))
      // Leaves as much time for other work as the step took.
      timer = setTimeout(step, Math.max(PAUSE_MS, performance.now() - began))
      return
    }
    if (mayCheck()) {
      diskSpace.ifThereIsSpace(forgetMembers)
      diskSpace.ifThereIsSpace(forgetOthers)
    }
    timer = setTimeout(step, IDLE_MS)
  }

  function forgetMembers(): void {
    const before = (now() - PRIVATE_GRACE_MS) * 1000
    for (const { uid, did } of membersDeletedBefore(db, before)) {
      writer.commit((ctx) => forgetPrivateState(ctx, uid))
      log.info({ member: did }, 'the account was deleted long ago: its data here is removed too')
    }
  }

  /** Accounts may have private rows without being members: an official AppView writes them. */
  function forgetOthers(): void {
    const before = now() - PRIVATE_GRACE_MS
    for (const uid of removalsDoneBefore(db, before, AT_ONCE)) {
      writer.commit((ctx) => forgetDeleted(ctx, uid))
    }
  }

  return { stop: () => clearTimeout(timer) }
}

/** A server that merely does not know the account deletes no private state. */
function forgetDeleted(ctx: IndexContext, uid: number): void {
  if (ctx.removedAt.has(uid)) forgetPrivateState(ctx, uid)
  deleteGapsOf(ctx.db, uid)
  deleteRemoval(ctx.db, uid)
}
