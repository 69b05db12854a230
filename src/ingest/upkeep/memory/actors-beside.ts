// Loads the accounts' snapshot in a thread of its own while the ingest thread loads the graph's: a quarter of
// what a restart takes with millions of accounts. If that thread fails, the ingest thread loads it itself.

import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../base/obs/log.ts'
import {
  type ActorTable,
  createActorTable,
  reserveActorTable,
} from '../../../data/graph/actor-table.ts'
import { type ActorsOrder, LOADED, LOADING, STATE } from './actors-order.ts'

/** A thread takes a tenth of a second to start, in which this many are loaded. */
const FEW_ACCOUNTS = 500_000
/** Tens of millions of accounts take seconds. */
const TIMEOUT_MS = 60_000

/**
 * @param options - `accounts`: about how many there are; `few`: so few are not loaded
 * @returns a function that waits for the accounts; it returns undefined if they were not loaded
 */
export function loadActorsBeside(options: {
  dataDir: string
  accounts: number
  few?: number | undefined
  log: Pick<Logger, 'warn'>
}): () => ActorTable | undefined {
  const { dataDir, accounts, few = FEW_ACCOUNTS, log } = options
  if (accounts <= few) return () => undefined
  const handle = reserveActorTable()
  const state = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL('./actors-thread.ts', import.meta.url), {
    workerData: { dataDir, handle, state } satisfies ActorsOrder,
  })
  worker.once('error', (err) => log.warn({ err }, 'the thread that loads the accounts failed'))
  return () => {
    Atomics.wait(state, STATE, LOADING, TIMEOUT_MS)
    return Atomics.load(state, STATE) === LOADED ? createActorTable(handle) : undefined
  }
}
