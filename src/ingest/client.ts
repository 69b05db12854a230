// The main thread's side of the ingest thread: starts it, waits until its memory is ready, stops it, and
// connects every further serving thread to it by a port.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { type Config, ConfigError } from '../base/config/config.ts'
import { createIngestConnection, type IngestConnection } from '../bridge/connection.ts'
import type { IngestMessage, IngestOrder, SharedMemory } from '../bridge/messages.ts'
import { StandstillError } from './upkeep/watchdog.ts'

export type Ingest = IngestConnection & {
  readonly memory: SharedMemory
  /** Opens a new port to the ingest thread, for another thread. */
  connect(): MessagePort
  stop(): Promise<void>
}

/** Three semi-spaces of 4 MB; only serving threads profit from 16. */
const YOUNG_MB = 12

/** @throws ConfigError if the database can't be used */
export async function startIngest(options: {
  config: Config
  onFatal: (error: unknown) => void
}): Promise<Ingest> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    workerData: { config: options.config },
  })
  let stopping = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const order = (order: IngestOrder) => worker.postMessage(order)
  const { hear, ...connection } = createIngestConnection(order, (seconds) => {
    const text = `the ingest thread has reported nothing for ${seconds} s: the process ends to be restarted`
    if (!stopping) options.onFatal(new StandstillError(text))
  })

  const memory = await new Promise<SharedMemory>((resolve, reject) => {
    worker.on('message', (message: IngestMessage) => {
      if (message.kind === 'ready') resolve(message.memory)
      else if (message.kind === 'refused') reject(new ConfigError(message.message, message.hint))
      else hear(message)
    })
    worker.on('error', (error) => {
      reject(error)
      options.onFatal(error)
    })
    worker.on('exit', (code) => {
      if (!stopping)
        options.onFatal(new Error(`the ingest thread ended unexpectedly (code ${code})`))
    })
  })

  return {
    ...connection,
    memory,
    connect() {
      const { port1: ours, port2: theirs } = new MessageChannel()
      worker.postMessage({ kind: 'connect', port: ours } satisfies IngestOrder, [ours])
      return theirs
    },
    stop: async () => {
      stopping = true
      order({ kind: 'stop' })
      await exited
    },
  }
}
