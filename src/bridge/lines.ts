// The ingest thread's ends of the lines to the serving threads: the main thread's, and those it hands over
// for others. A reply goes to the thread that sent the request. News goes to all threads, and a thread that
// connects later receives the latest message of each kind.

import type { MessagePort } from 'node:worker_threads'
import type {
  IngestMessage,
  IngestOrder,
  OperatorReply,
  OperatorRequest,
  WriterReply,
  WriterRequest,
} from './messages.ts'

export type Lines = {
  /** Sends to every serving thread. */
  tellAll(message: IngestMessage): void
  listen(options: {
    answer: (request: WriterRequest) => WriterReply
    operate: (id: number, request: OperatorRequest) => Promise<OperatorReply>
    /** Called when the main thread orders a stop. */
    onStop: () => void
  }): void
  close(): void
}

export function createLines(main: MessagePort): Lines {
  const lines = new Set<MessagePort>([main])
  const latest = new Map<IngestMessage['kind'], IngestMessage>()

  function connect(port: MessagePort, hear: (order: IngestOrder) => void): void {
    lines.add(port)
    port.on('message', hear)
    port.once('close', () => lines.delete(port))
    for (const message of latest.values()) port.postMessage(message)
    port.postMessage({ kind: 'connected' } satisfies IngestMessage)
  }

  return {
    tellAll(message) {
      latest.set(message.kind, message)
      for (const port of lines) port.postMessage(message)
    },
    listen({ answer, operate, onStop }) {
      /** @returns whether the order was one to reply to. */
      function reply(port: MessagePort, order: IngestOrder): boolean {
        const tell = (message: IngestMessage) => port.postMessage(message)
        if (order.kind === 'request') tell({ kind: 'reply', reply: answer(order.request) })
        else if (order.kind !== 'operate') return false
        else
          void operate(order.id, order.request).then((reply) => tell({ kind: 'operated', reply }))
        return true
      }
      main.on('message', (order: IngestOrder) => {
        if (reply(main, order)) return
        if (order.kind === 'stop') onStop()
        else if (order.kind === 'connect') {
          const { port } = order
          connect(port, (order) => void reply(port, order))
        }
      })
    },
    close() {
      for (const port of lines) port.close()
    },
  }
}
