// Fills a data folder as the ingest thread does, with the real indexer: events in, rows and graph out, so
// that benchmarks read what production would hold under the current schema.

import type { StreamEvent } from '@slipstream/jetstream'
import { packRkey } from '../../src/base/atproto/keys.ts'
import { openWriter, type WriteDb } from '../../src/data/store/db.ts'
import { COLD_START, putBackfill } from '../../src/data/store/fetching/backfills.ts'
import { allMembers } from '../../src/data/store/members/members.ts'
import { insertActor, setActorIdentity } from '../../src/data/store/records/actors.ts'
import { insertFollow } from '../../src/data/store/records/follows.ts'
import { applyBatch } from '../../src/ingest/indexing/apply-batch.ts'
import type { IndexContext } from '../../src/ingest/indexing/index-context.ts'
import { memberSeen } from '../../src/ingest/indexing/members/members.ts'
import { saveGraph } from '../../src/ingest/indexing/memory/graph-snapshot.ts'
import { tendSearch } from '../../src/ingest/indexing/search/search-upkeep.ts'
import { createWriter } from '../../src/ingest/indexing/writer.ts'
import { createMemoryParts } from '../../test/support/memory-parts.ts'
import { tidAt } from '../../test/support/records.ts'

const BATCH = 1000

export type Seeder = {
  /**
   * Applies events in batches.
   * @returns the number applied
   */
  apply(events: Iterable<StreamEvent>): number
  /**
   * Writes directly to table and graph, without the journal; a repeated pair counts once.
   * @returns the number of follows
   */
  fillFollows(pairs: Iterable<[creator: string, subject: string]>): number
  /** Makes these accounts members without fetching from their servers. */
  addMembers(dids: readonly string[]): void
  /** Runs writes that no event causes. */
  run<T>(work: (ctx: IndexContext) => T): T
  uidOf(did: string): number
  /** Gives every account a verified handle, indexes everything for search if wanted, and completes the file. */
  finish(options?: { isSearchable?: boolean | undefined }): void
}

export function openSeeder(dataDir: string, scope: 'community' | 'network'): Seeder {
  const db = openWriter(dataDir)
  // A world torn by a crash is built again.
  db.pragma('synchronous = OFF')
  const memory = createMemoryParts({
    timelineLength: 1000,
    reasonableLimit: 2000,
    celebrityThreshold: 1_000_000_000,
  })
  const writer = createWriter({ db, memory, scope, now: Date.now })

  function commit(events: StreamEvent[]): number {
    return writer.commit((ctx) => applyBatch(ctx, { events })).applied
  }

  function uidOf(did: string, now: number): number {
    const before = memory.actors.count
    const uid = memory.actors.intern(did)
    if (uid > before) insertActor(db, uid, did, now)
    return uid
  }

  return {
    run: (work) => writer.commit(work),
    uidOf: (did) => memory.actors.uidOf(did),
    apply(events) {
      let batch: StreamEvent[] = []
      let applied = 0
      for (const event of events) {
        batch.push(event)
        if (batch.length < BATCH) continue
        applied += commit(batch)
        batch = []
      }
      return batch.length > 0 ? applied + commit(batch) : applied
    },
    fillFollows(pairs) {
      const now = Date.now()
      let written = 0
      db.transaction(() => {
        for (const [creatorDid, subjectDid] of pairs) {
          const [creator, subject] = [uidOf(creatorDid, now), uidOf(subjectDid, now)]
          if (creator === subject || !memory.graph.add(creator, subject)) continue
          const rkey = packRkey(tidAt(now * 1000 + written++))
          insertFollow(db, { uid: creator, rkey, subject, sortAt: now, createdAt: now })
        }
      })()
      return written
    },
    addMembers(dids) {
      writer.commit((ctx) => {
        for (const did of dids) memberSeen(ctx, did)
      })
    },
    finish({ isSearchable = false } = {}) {
      giveHandles(db, memory.actors.count)
      if (isSearchable) tendSearch({ writer, posts: { maxPosts: Infinity } }, () => false)
      finishWorld(db, memory)
    },
  }
}

type MemoryParts = ReturnType<typeof createMemoryParts>

function giveHandles(db: WriteDb, accounts: number): void {
  const checkedAt = Date.now()
  db.transaction(() => {
    for (let uid = 1; uid <= accounts; uid++) {
      const handle = { handle: `account${uid}.bench.test`, handleValid: true }
      setActorIdentity(db, uid, { ...handle, pds: 'http://127.0.0.1:1', checkedAt })
    }
  })()
}

function finishWorld(db: WriteDb, memory: MemoryParts): void {
  const now = Date.now()
  db.transaction(() => {
    db.exec('DELETE FROM jobs; DELETE FROM replay_accounts')
    for (const { uid } of allMembers(db)) {
      putBackfill(db, uid, COLD_START, { rev: null, finished_at: now })
    }
  })()
  saveGraph(db, memory.graph, memory.actors)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
}
