// Everything that one run ships, and in which order: members' private state before pages, a base before the files
// and before anything is removed. The loop beside it says when.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { type Db, openReader } from '../../../data/store/db.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import { type Base, shipBase } from '../copying/bases.ts'
import { type Changes, createChanges } from '../copying/changes.ts'
import { type Chunks, createChunks } from '../copying/chunks.ts'
import { createFiles, type Files } from '../copying/files.ts'
import { newRun, privateName } from '../copying/names.ts'
import type { Objects } from '../copying/objects.ts'
import { createOwner, type Owner } from '../copying/owner.ts'
import { prune } from '../copying/pruning.ts'
import { tryRestore } from '../restoring/try-restore.ts'
import type { Keys } from '../sealing/keys.ts'
import { openStatus, type StatusFile } from '../status.ts'
import { type ChangedPages, openChangedPages } from '../store/changed-pages.ts'
import { type PrivateWatch, watchPrivateState } from '../store/private-state.ts'

export type Shipper = {
  readonly status: StatusFile
  /** Call every second or so, since the database’s log can’t be copied beyond the state last seen. */
  watch(): void
  /** Whether so much has changed that shipping should not wait for its minute. */
  isPressing(): boolean
  /** Members’ private state, then the pages that changed. */
  shipChanges(): Promise<void>
  /** The whole database and the other files; then removes what the rule does not keep. */
  shipComplete(onProgress?: (done: number, total: number) => void): Promise<void>
  shipFiles(): Promise<void>
  /** Restores the newest state into a folder beside the database, and looks whether it is sound. */
  tryRestore(): Promise<void>
  /** Whether no base of this run is stored, or being sent, that later changes complete. */
  needsBase(): boolean
  /** Whether this server may ship here: call each half of its `everyMs`, or others may take it for gone. */
  readonly owner: Owner
  close(): void
}

type ShipperOptions = {
  dataDir: string
  objects: Objects
  keys: Keys
  keepDays: number
  /** How often changes are shipped. */
  everyMs?: number
  /** Lines of a .env file. */
  settings: string
  now?: () => number
}

/** Bytes of changed pages that are shipped before the minute is over. */
const PRESSING_BYTES = 16 << 20
const CACHE_KIB = 4_096

export function openShipper(options: ShipperOptions): Shipper {
  const { dataDir, objects, keys, everyMs = MINUTE_MS, now = Date.now } = options
  const run = newRun(now())
  const status = openStatus(dataDir, { url: objects.url, run, at: now() })
  const pages = openChangedPages(dataDir)
  const db: Db = openReader(dataDir, { cacheKib: CACHE_KIB })
  const chunks = createChunks(objects, keys)
  const { server } = status.now
  const owner = createOwner({ objects, server, run, shipsEveryMs: everyMs, now })
  const context: RunContext = {
    ...options,
    now,
    run,
    status,
    pages,
    chunks,
    owner,
    changes: createChanges({ run, pages, objects, now }),
    files: createFiles({ ...options, run, chunks, now }),
    privates: watchPrivateState(db),
  }
  const ship = createShipments(context)
  return {
    status,
    owner,
    watch: pages.advance,
    isPressing: () => pages.changed() * pages.pageSize > PRESSING_BYTES,
    ...ship,
    close() {
      ship.abort()
      pages.close()
      db.close()
    },
  }
}

type RunContext = ShipperOptions & {
  now: () => number
  run: string
  status: StatusFile
  pages: ChangedPages
  chunks: Chunks
  owner: Owner
  changes: Changes
  files: Files
  privates: PrivateWatch
}

function createShipments(context: RunContext) {
  const { objects, owner, chunks, changes, files, status, now, run } = context
  let base: Base | undefined
  let sending: AbortController | undefined
  let privateSeq = 0
  let hasChunks = false
  /** What names chunks is sent, and chunks are removed, one after the other. */
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  async function shipPrivate(): Promise<void> {
    const kind = privateSeq === 0 ? 'full' : 'part'
    const at = now()
    const found = context.privates.look(kind, at)
    if (found) {
      count(await objects.putJson(privateName(run, privateSeq + 1, kind), found))
      privateSeq += 1
      context.privates.settle()
    }
    status.set({ privateAt: at })
  }

  function count(bytes: number): void {
    status.set({ sentBytes: status.now.sentBytes + bytes })
  }

  async function shipChanges(): Promise<void> {
    await owner.claim()
    await shipPrivate()
    if (changes.isTooMuch()) {
      changes.giveUp()
      base = undefined
      sending?.abort(new Error('more changed than can be sent'))
      return
    }
    const { at, bytes } = await changes.ship()
    count(bytes)
    if (base) status.set({ stateAt: at })
  }

  async function loadChunks(): Promise<void> {
    if (!hasChunks) await chunks.load()
    hasChunks = true
  }

  async function shipBaseNow(onProgress?: (done: number, total: number) => void): Promise<void> {
    const began = now()
    sending = new AbortController()
    const { signal } = sending
    const tell = (done: number, total: number) => {
      onProgress?.(done, total)
      if (done % 64 === 0) status.set({ progress: { done, total } })
    }
    try {
      const shipped = await shipBase({ ...context, signal, onProgress: tell })
      base = shipped.base
      const bytes = base.count * base.pageSize
      const about = { at: base.at, bytes, sent: shipped.sent, tookMs: now() - began }
      status.set({ stateAt: base.at, base: about })
      count(shipped.sent)
    } finally {
      sending = undefined
      status.drop('progress')
    }
  }

  async function shipComplete(onProgress?: (done: number, total: number) => void): Promise<void> {
    await owner.claim()
    await shipPrivate()
    await loadChunks()
    await shipBaseNow(onProgress)
    count((await files.ship({ snapshots: true })).sent)
    await prune({ ...context, days: context.keepDays, now: now() })
    const sizes = [...chunks.stored().values()]
    const bytes = sizes.reduce((sum, value) => sum + value, 0)
    status.set({ stored: { chunks: sizes.length, bytes } })
  }

  async function shipFiles(): Promise<void> {
    await owner.claim()
    await loadChunks()
    count((await files.ship({ snapshots: false })).sent)
    status.set({ filesAt: now() })
  }

  async function tryNow(): Promise<void> {
    const { trial, unfitChunks } = await tryRestore({ ...context, now })
    status.set({ trial })
    if (trial.ok) return
    // What the store lost is sent again with the next base, which is due at once.
    chunks.miss(unfitChunks)
    base = undefined
    throw new BucketError(
      `A trial restore from ${objects.url} failed: ${trial.text}.`,
      'A new whole copy is sent. If this repeats, the store loses or damages data: use another one.',
    )
  }

  return {
    shipChanges,
    shipComplete: (onProgress?: (done: number, total: number) => void) =>
      inTurn(() => shipComplete(onProgress)),
    shipFiles: () => inTurn(shipFiles),
    tryRestore: () => inTurn(tryNow),
    needsBase: () => base === undefined && sending === undefined,
    abort: () => sending?.abort(new Error('the server stops')),
  }
}
