// What a server can make undici do with the head of an answer: read any number of interim ones before it, and make
// an error with a stack trace of every field beyond the limit that it has read, thousands in one go.

import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { FetchError } from './fetch-error.ts'

/** Servers send early hints once, if at all. */
const MAX_INTERIM = 16

export function countInterim(url: URL): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > MAX_INTERIM) throw new FetchError('too-large', `endless interim answers: ${url}`)
  }
}

export function withCheapOverflow(connect: buildConnector.connector): buildConnector.connector {
  return (options, connected) =>
    connect(options, (...[error, socket]) => {
      if (error) return connected(error, null)
      leaveOverflowsUntraced(socket)
      connected(null, socket)
    })
}

/** By the time a microtask runs, undici has gone through what it had read. */
function leaveOverflowsUntraced(socket: Socket): void {
  const destroy = socket.destroy.bind(socket)
  socket.destroy = (error) => {
    if (error && 'code' in error && error.code === 'UND_ERR_HEADERS_OVERFLOW') {
      const before = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      queueMicrotask(() => {
        Error.stackTraceLimit = before
      })
    }
    return destroy(error)
  }
}
