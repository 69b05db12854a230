// How many connections one address may have: it alone must not take all that there are. Those whose answer goes on for
// long and is bounded by who asks, as a program's streams are by its token, are not counted for as long as it lasts, so
// that thousands of them may come from one machine.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitKey } from '../overload/client-address.ts'

type Counted = { enter(): void; leave(): void }

const counted = new WeakMap<Socket, Counted>()

/** @returns says of a new connection whether it may stay; one that may not is hung up on. */
export function createConnectionLimit(max: number, isProxy: (address: string) => boolean) {
  const counts = new Map<string, number>()
  return (socket: Socket): boolean => {
    // It was reset before we took it. Without an address, what it asked would pass for our own and pay nothing.
    if (socket.remoteAddress === undefined) {
      socket.destroy()
      return false
    }
    if (isProxy(socket.remoteAddress)) return true
    const address = limitKey(socket.remoteAddress)
    if ((counts.get(address) ?? 0) >= max) {
      socket.destroy()
      return false
    }
    const one = countOne(counts, address)
    one.enter()
    counted.set(socket, one)
    socket.once('close', () => {
      counted.delete(socket)
      one.leave()
    })
    return true
  }
}

/** The connection of this answer does not count for its address until the answer ends. Bounded by the caller. */
export function countOtherwise(response: ServerResponse): void {
  const { socket } = response
  if (!socket) return
  counted.get(socket)?.leave()
  response.once('close', () => counted.get(socket)?.enter())
}

/** Entering twice, or leaving twice, is once. */
function countOne(counts: Map<string, number>, address: string): Counted {
  let isIn = false
  return {
    enter() {
      if (isIn) return
      isIn = true
      counts.set(address, (counts.get(address) ?? 0) + 1)
    },
    leave() {
      if (!isIn) return
      isIn = false
      const left = counts.get(address)! - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    },
  }
}
