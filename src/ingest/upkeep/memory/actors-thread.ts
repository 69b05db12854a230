// A thread that loads the accounts' snapshot into shared memory and ends: see actors-beside.ts.

import { workerData } from 'node:worker_threads'
import { loadActorTable } from '../../../data/graph/actor-table.ts'
import { openReader } from '../../../data/store/db.ts'
import { actorChunks } from '../../indexing/memory/graph-snapshot.ts'
import { type ActorsOrder, FAILED, LOADED, STATE } from './actors-order.ts'

const { dataDir, handle, state } = workerData as ActorsOrder

Atomics.store(state, STATE, load() ? LOADED : FAILED)
Atomics.notify(state, STATE)

/** The ingest thread meets the same error when it reads the snapshot itself, and decides what to do. */
function load(): boolean {
  try {
    const db = openReader(dataDir)
    loadActorTable(actorChunks(db), handle)
    db.close()
    return true
  } catch {
    return false
  }
}
