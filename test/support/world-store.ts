// The database, memory and writer of a test world (world.ts). A restart replaces all three, as in a process
// that starts again, so callers read them anew each time.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationWriter } from '../../src/data/shared-memory/invalidation-ring.ts'
import { type Db, openReader, openWriter, type WriteDb } from '../../src/data/store/db.ts'
import { publishInvalidationsTo } from '../../src/data/store/transact.ts'
import type { IndexContext, IndexScope } from '../../src/ingest/indexing/index-context.ts'
import type { Memory } from '../../src/ingest/indexing/memory/memory.ts'
import { openTimeline } from '../../src/ingest/indexing/memory/open-timeline.ts'
import { rebuildMemory } from '../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createWriter, type Writer } from '../../src/ingest/indexing/writer.ts'
import { openEmpty } from './empty-database.ts'
import { createMemoryParts } from './memory-parts.ts'

export type WorldStoreOptions = {
  scope?: IndexScope
  timelineLength?: number
  reasonableLimit?: number
  celebrityThreshold?: number
  /** DIDs. */
  trustedVerifiers?: string[]
  /** Days for which notifications of non-members are kept. */
  notificationDays?: number
  /** Keeps the latest rev of every account, not only of members. */
  storesAllRevs?: boolean
}

export class WorldStore {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'slipstream-world-'))
  readonly invalidations = new InvalidationWriter()
  readonly #options: WorldStoreOptions
  readonly #now: () => number
  #db: WriteDb
  #reader: Db | undefined
  #memory: Memory
  #writer: Writer

  constructor(options: WorldStoreOptions, now: () => number) {
    this.#options = options
    this.#now = now
    this.#db = notified(openEmpty(this.dataDir), this.invalidations)
    this.#memory = emptyMemory(options)
    this.#writer = this.#createWriter()
  }

  get db(): WriteDb {
    return this.#db
  }

  get reader(): Db {
    this.#reader ??= openReader(this.dataDir)
    return this.#reader
  }

  get memory(): Memory {
    return this.#memory
  }

  get writer(): Writer {
    return this.#writer
  }

  run<T>(work: (ctx: IndexContext) => T): T {
    return this.#writer.commit(work)
  }

  openTimeline(owner: number): void {
    openTimeline(this.#db, this.#memory, owner, this.#now())
  }

  /** Reopens connections, rebuilds memory from rows, and rebuilds the timelines that were open. */
  restart(): void {
    const owners = openOwners(this.#memory)
    this.#close()
    this.#db = notified(openWriter(this.dataDir), this.invalidations)
    const memory = emptyMemory(this.#options)
    rebuildMemory(this.#db, memory)
    this.#memory = memory
    this.#writer = this.#createWriter()
    for (const owner of owners) this.openTimeline(owner)
  }

  dispose(): void {
    this.#close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  #close(): void {
    this.#reader?.close()
    this.#reader = undefined
    this.#db.close()
  }

  #createWriter(): Writer {
    const { scope = 'community', storesAllRevs, trustedVerifiers } = this.#options
    return createWriter({
      db: this.#db,
      memory: this.#memory,
      scope,
      now: this.#now,
      trustedVerifiers,
      notificationDays: this.#options.notificationDays,
      ...(storesAllRevs && { storesAllRevs }),
    })
  }
}

/** A writer's connection that publishes its transactions' invalidations as in the ingest thread. */
function notified(db: WriteDb, invalidations: InvalidationWriter): WriteDb {
  publishInvalidationsTo(db, invalidations)
  invalidations.add(INVALIDATION.everything, 0, 0)
  return db
}

function emptyMemory(options: WorldStoreOptions) {
  return createMemoryParts({
    timelineLength: options.timelineLength ?? 1000,
    reasonableLimit: options.reasonableLimit ?? 2000,
    celebrityThreshold: options.celebrityThreshold ?? 10_000,
  })
}

function openOwners({ actors, timelines }: Memory): number[] {
  const uids = Array.from({ length: actors.count }, (_, i) => i + 1)
  return uids.filter((uid) => timelines.isOpen(uid))
}
