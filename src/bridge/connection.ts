// A serving thread's end of the line to the ingest thread: sends requests to the writer and keeps its latest
// reports.

import { DiskFullError } from '../data/store/files/disk-full.ts'
import { FetchLimitError } from './fetch-limit.ts'
import type {
  FeatureRequest,
  IngestMessage,
  IngestOrder,
  IngestStatus,
  OperatorReply,
  OperatorRequest,
  Writer,
  WriterReply,
} from './messages.ts'

export type IngestConnection = {
  readonly writer: Writer
  /** Resolves with what the feature's part in the ingest thread returned. */
  askFeature(request: { did: string } & FeatureRequest): Promise<unknown>
  /** Resolves with figures once the operator's change is committed and visible. */
  operate(request: OperatorRequest): Promise<Figures>
  /** The ingest thread's latest report; undefined before its first. */
  status(): IngestStatus | undefined
  /** DIDs of the members named in the configuration, as far as their handles are resolved. */
  configuredMembers(): readonly string[]
  /** `listener` is called with the DIDs whose documents are reported to have changed. */
  onIdentitiesChanged(listener: (dids: readonly string[]) => void): void
}

const MAX_WAITING = 10_000
/**
 * It reports once a second; a longer silence means one very long piece of work, or an endless one.
 */
const SILENT_SECONDS = 60
const MAX_SILENT_SECONDS = 600

type Figures = Record<string, number>
type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void }

/**
 * @param onGone - called when the ingest thread has been silent for too long and counts as lost
 * @returns also the handler for messages from the other end
 */
export function createIngestConnection(
  order: (order: IngestOrder) => void,
  onGone: (seconds: number) => void = () => undefined,
): IngestConnection & { hear(message: IngestMessage): void } {
  const waiting = new Map<number, Waiting>()
  let status: IngestStatus | undefined
  let configuredMembers: readonly string[] = []
  const listeners: ((dids: readonly string[]) => void)[] = []
  let lastId = 0
  /** Counted in ticks, which stop while the machine sleeps. */
  let silentSeconds = 0
  const timer = setInterval(() => {
    if (status && ++silentSeconds === MAX_SILENT_SECONDS) onGone(silentSeconds)
  }, 1_000)
  timer.unref()

  function report(): IngestStatus | undefined {
    if (!status || silentSeconds < SILENT_SECONDS) return status
    const silence = { what: 'the ingest thread, which reports nothing', seconds: silentSeconds }
    return { ...status, stalls: [silence, ...(status.stalls ?? [])] }
  }

  function settle(reply: WriterReply | OperatorReply): void {
    const item = waiting.get(reply.id)
    waiting.delete(reply.id)
    if (reply.ok) item?.resolve(resultOf(reply))
    else item?.reject(errorOf(reply))
  }

  function ask<T>(orderOf: (id: number) => IngestOrder): Promise<T> {
    if (waiting.size >= MAX_WAITING) return Promise.reject(new Error('the writer is overloaded'))
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      order(orderOf(id))
    })
  }

  return {
    writer: {
      async send(request) {
        await ask((id) => ({ kind: 'request', request: { ...request, id } }))
      },
    },
    askFeature: (request) => ask((id) => ({ kind: 'request', request: { ...request, id } })),
    operate: (request) => ask((id) => ({ kind: 'operate', id, request })),
    status: report,
    configuredMembers: () => configuredMembers,
    onIdentitiesChanged: (listener) => void listeners.push(listener),
    hear(message) {
      if ('reply' in message) settle(message.reply)
      else if (message.kind === 'status') {
        status = message.status
        silentSeconds = 0
      } else if (message.kind === 'configured-members') configuredMembers = message.dids
      else if (message.kind === 'identities-changed') {
        for (const listener of listeners) listener(message.dids)
      }
    },
  }
}

function resultOf(reply: (WriterReply | OperatorReply) & { ok: true }): unknown {
  if ('figures' in reply) return reply.figures
  return 'result' in reply ? reply.result : {}
}

export function errorOf({ error, message }: { error: string; message: string }): Error {
  if (error === 'DiskFullError') return new DiskFullError()
  if (error === 'FetchLimitError') return new FetchLimitError(message)
  return Object.assign(new Error(message), { name: error })
}
