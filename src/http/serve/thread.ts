// A further serving thread: a worker that answers on the main thread's port, with its own database connection
// and the memory shared by all threads. It has its own channel to the ingest thread. An error thrown outside
// of a request, or a broken invariant within one, ends the worker, and with it the process
// (http/serve/threads.ts).

import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Config } from '../../base/config/config.ts'
import { createLogger } from '../../base/obs/log.ts'
import { storeCompiledCode } from '../../base/util/compile-cache.ts'
import { NEARLY_IDLE, releaseUnusedMemory } from '../../base/util/unused-memory.ts'
import { createIngestConnection } from '../../bridge/connection.ts'
import type { IngestMessage, IngestOrder, SharedMemory } from '../../bridge/messages.ts'
import { trimMalloc } from '../../data/store/files/trim-malloc.ts'
import { loadServeFeatures } from '../feature.ts'
import type { RateBuffers } from '../overload/rate-limits.ts'
import { createServing } from './serving.ts'

export type ServingThreadData = {
  config: Config
  memory: SharedMemory
  line: MessagePort
  featureMemory: readonly unknown[]
  rateBuffers: RateBuffers
  usedTokens: SharedArrayBuffer
  /** From 1; the main thread is 0. */
  thread: number
  name: string
}

/** To the main thread: this thread now accepts requests. */
export type ServingThreadMessage = { kind: 'listening' }

/** From the main thread: finish running requests, then exit. */
export type ServingThreadOrder = { kind: 'stop' }

const port = parentPort!
const { config, featureMemory, memory, line, rateBuffers, usedTokens, thread, name } =
  workerData as ServingThreadData

await run()

async function run(): Promise<void> {
  const log = createLogger({ level: config.logLevel, name })
  const { hear, ...ingest } = createIngestConnection((order: IngestOrder) =>
    line.postMessage(order),
  )
  await new Promise<void>((resolve) => {
    line.on('message', (message: IngestMessage) => {
      if (message.kind === 'connected') resolve()
      else hear(message)
    })
  })
  const { server, closeStore } = createServing({
    config,
    features: await loadServeFeatures(),
    featureMemory,
    log,
    memory,
    ingest,
    rateBuffers,
    usedTokens,
    thread,
    onFatal,
  })
  port.once('message', (_stop: ServingThreadOrder) => {
    void server.close().then(() => {
      closeStore()
      process.exit(0)
    })
  })
  await server.listen({ reusePort: true })
  port.postMessage({ kind: 'listening' } satisfies ServingThreadMessage)
  storeCompiledCode()
  releaseUnusedMemory({ hasTime: NEARLY_IDLE, alsoRelease: trimMalloc })
}

/** Thrown outside of the request that met it, so that the request still gets its answer. */
function onFatal(error: unknown): void {
  setImmediate(() => {
    throw error
  })
}
