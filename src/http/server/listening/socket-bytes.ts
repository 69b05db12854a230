// The bytes of a thread's connections: of answers, streams and videos alike, as the operator's provider counts them but
// for TLS, which a proxy speaks.

import type { Socket } from 'node:net'

export type SocketBytes = {
  add(socket: Socket): void
  totals(): { received: number; sent: number }
}

export function countSocketBytes(): SocketBytes {
  const open = new Set<Socket>()
  const closed = { received: 0, sent: 0 }
  const reported = { received: 0, sent: 0 }
  return {
    add(socket) {
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        closed.received += socket.bytesRead
        closed.sent += socket.bytesWritten
      })
    },
    totals() {
      let { received, sent } = closed
      for (const socket of open) {
        received += socket.bytesRead
        sent += socket.bytesWritten
      }
      // What a connection had yet to send when it broke was counted, and no longer is.
      reported.received = Math.max(reported.received, received)
      reported.sent = Math.max(reported.sent, sent)
      return { ...reported }
    },
  }
}
