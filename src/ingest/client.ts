// The serving side of the ingest thread: starts it, waits until its memory is ready, carries
// requests to its writer and keeps its latest status.

import { Worker } from 'node:worker_threads'
import type {
  IngestMessage,
  IngestOrder,
  IngestStatus,
  SharedMemory,
  Writer,
  WriterReply,
  WriterRequest,
} from '../bridge.ts'
import { type Config, ConfigError } from '../config.ts'

export type Ingest = {
  readonly memory: SharedMemory
  readonly writer: Writer
  /** The latest the ingest thread reported; undefined until its first report. */
  status(): IngestStatus | undefined
  /** DIDs of the members that the configuration names, as far as their handles are resolved. */
  configuredMembers(): readonly string[]
  stop(): Promise<void>
}

const MAX_WAITING = 10_000

type Waiting = { resolve: () => void; reject: (error: Error) => void }

/** @throws ConfigError where the database cannot be used. */
export async function startIngest(options: {
  config: Config
  onFatal: (error: unknown) => void
}): Promise<Ingest> {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: { config: options.config },
  })
  const waiting = new Map<number, Waiting>()
  let status: IngestStatus | undefined
  let configuredMembers: readonly string[] = []
  let lastId = 0
  let stopping = false
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))

  function send(request: Omit<WriterRequest, 'id'>): Promise<void> {
    if (waiting.size >= MAX_WAITING) return Promise.reject(new Error('the writer is overloaded'))
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      order({ kind: 'request', request: { ...request, id } as WriterRequest })
    })
  }

  function order(one: IngestOrder): void {
    worker.postMessage(one)
  }

  function settle(reply: WriterReply): void {
    const one = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (reply.ok) one?.resolve()
    else one?.reject(new Error(reply.message))
  }

  const memory = await new Promise<SharedMemory>((resolve, reject) => {
    worker.on('message', (message: IngestMessage) => {
      if (message.kind === 'ready') resolve(message.memory)
      else if (message.kind === 'refused') reject(new ConfigError(message.message, message.hint))
      else if (message.kind === 'reply') settle(message.reply)
      else if (message.kind === 'status') status = message.status
      else configuredMembers = message.dids
    })
    worker.on('error', (error) => {
      reject(error)
      options.onFatal(error)
    })
    worker.on('exit', (code) => {
      if (!stopping) options.onFatal(new Error(`the ingest thread ended by itself (code ${code})`))
    })
  })

  return {
    memory,
    writer: { send: send as Writer['send'] },
    status: () => status,
    configuredMembers: () => configuredMembers,
    stop: async () => {
      stopping = true
      order({ kind: 'stop' })
      await exited
    },
  }
}
