// The writer of a database whose memory has no readers.

import { createActorTable } from '../../src/data/graph/actor-table.ts'
import type { WriteDb } from '../../src/data/store/db.ts'
import { createWriter, type Writer } from '../../src/ingest/indexing/writer.ts'

export function writerOf(db: WriteDb, now: () => number = Date.now): Writer {
  return createWriter({ db, memory: { actors: createActorTable() }, scope: 'network', now })
}
