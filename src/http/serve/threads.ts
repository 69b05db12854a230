// Serves on as many threads as the operator configures. The main thread is the first; the others are workers
// that listen on the same port with their own sockets, and the kernel distributes connections (SO_REUSEPORT:
// Linux and FreeBSD; macOS does not distribute, so it gets one thread and a warning). A connection stays with
// the thread that accepted it.

import { Worker } from 'node:worker_threads'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import { createOnceBuffer } from '../../data/shared-memory/once-table.ts'
import type { Ingest } from '../../ingest/client.ts'
import { loadServeFeatures } from '../feature.ts'
import { listenOnControlSocket } from '../operator/control-socket.ts'
import { createRateBuffers, type RateBuffers } from '../overload/rate-limits.ts'
import type { Server } from '../server/server.ts'
import { findFreePort } from './free-port.ts'
import { createServing } from './serving.ts'
import type { ServingThreadData, ServingThreadMessage, ServingThreadOrder } from './thread.ts'

export type ServingThreads = {
  readonly port: number
  readonly threads: number
  /** Resolves once all threads have answered running requests, or timed out. */
  close(): Promise<void>
}

type Options = {
  config: Config
  log: Logger
  ingest: Ingest
  /** Also called if a thread ends by itself. */
  onFatal: (error: unknown) => void
}

type ThreadOptions = Options & {
  featureMemory: readonly unknown[]
  rateBuffers: RateBuffers
  usedTokens: SharedArrayBuffer
}

type Thread = { stop(): Promise<void> }

/** @throws errors of listening, such as a port in use. */
export async function startServing(options: Options): Promise<ServingThreads> {
  const { config, log, ingest, onFatal } = options
  const { memory } = ingest
  const features = await loadServeFeatures()
  const shared = {
    featureMemory: features.map((feature) => feature.createShared?.(config)),
    rateBuffers: createRateBuffers(),
    usedTokens: createOnceBuffer(),
  }
  const parts = { config, features, log, memory, ingest, ...shared, thread: 0, onFatal }
  const { server, controlApp, closeStore } = createServing(parts)
  const { port, isShared } = await listenShared(server, options)
  const others = isShared ? config.serveThreads - 1 : 0
  const threads = await Promise.all(
    Array.from({ length: others }, (_, i) => startThread({ ...options, ...shared }, i + 1)),
  )
  const control = await listenOnControlSocket({ dataDir: config.dataDir, app: controlApp, log })
  return {
    port,
    threads: 1 + others,
    async close() {
      await control.close()
      await Promise.all([server.close(), ...threads.map((thread) => thread.stop())])
      closeStore()
    },
  }
}

/** Shares the port if configured and supported. */
export async function listenShared(
  server: Pick<Server, 'listen'>,
  { config, log }: Pick<Options, 'config' | 'log'>,
): Promise<{ port: number; isShared: boolean }> {
  if (config.serveThreads === 1) return { ...(await server.listen()), isShared: false }
  try {
    await findFreePort(config)
    return { ...(await server.listen({ reusePort: true })), isShared: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTSUP') throw error
    log.warn(
      { threads: config.serveThreads, platform: process.platform },
      'this system cannot share a port among threads: serving on one. SLIPSTREAM_SERVE_THREADS needs Linux or FreeBSD',
    )
    return { ...(await server.listen()), isShared: false }
  }
}

/** Three semi-spaces of 16 MB, as the main thread's. */
const YOUNG_MB = 48

async function startThread(options: ThreadOptions, thread: number): Promise<Thread> {
  const name = `serve-${thread + 1}`
  const { config, featureMemory, ingest, rateBuffers, usedTokens, onFatal } = options
  const line = ingest.connect()
  const { memory } = ingest
  const shared = { featureMemory, memory, rateBuffers, usedTokens }
  const data: ServingThreadData = { config, line, ...shared, thread, name }
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    workerData: data,
    transferList: [line],
    name,
  })
  let stopping = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    worker.once('message', (_listening: ServingThreadMessage) => resolve())
    worker.on('error', (error) => {
      reject(error)
      onFatal(error)
    })
    worker.on('exit', (code) => {
      if (!stopping) onFatal(new Error(`the thread ${name} ended unexpectedly (code ${code})`))
    })
  })
  return {
    stop() {
      stopping = true
      worker.postMessage({ kind: 'stop' } satisfies ServingThreadOrder)
      return exited
    },
  }
}
