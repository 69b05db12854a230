// Limits connections per address, so that one address cannot take all of them. Long-running answers that are
// limited per caller, as a program's streams are by its token, do not count while they last, so one machine
// may have thousands of them.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitKey } from '../../overload/client-address.ts'

type Counted = { enter(): void; leave(): void }

const counted = new WeakMap<Socket, Counted>()

/** @returns a function that accepts or closes a new connection, and says which */
export function createConnectionLimit(max: number, isProxy: (address: string) => boolean) {
  const counts = new Map<string, number>()
  return (socket: Socket): boolean => {
    // Reset before it was accepted. Without an address, its requests would pass for our own and
    // cost nothing.
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
    const item = countOne(counts, address)
    item.enter()
    counted.set(socket, item)
    socket.once('close', () => {
      counted.delete(socket)
      item.leave()
    })
    return true
  }
}

/**
 * Excludes this answer's connection from its address's count until the answer ends. The caller must
 * limit these.
 */
export function countOtherwise(response: ServerResponse): void {
  const { socket } = response
  if (!socket) return
  counted.get(socket)?.leave()
  response.once('close', () => counted.get(socket)?.enter())
}

/** Entering or leaving twice counts once. */
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
