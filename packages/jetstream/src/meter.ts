// Who wants to know what the connections cost.

import type { Socket } from 'node:net'

export type Meter = {
  /** A frame: its collection or kind, its bytes as received, and uncompressed. */
  frame(kind: string, received: number, plain: number): void
  /** A connection's socket, as soon as there is one. */
  socket(socket: Socket): void
}
