// Cuts off clients that send requests and do not read the answers. Unsent bytes stay in our memory, and a
// client that takes a byte a minute looks alive to every timeout. So all connections are checked every
// second: those with unsent bytes must read at a minimum rate, and the total is bounded. Above the bound, the
// connections that have been behind longest are cut off.

import type { Socket } from 'node:net'

export type SlowReaderLimits = {
  /** How long any answer may take, whatever its size. */
  graceMs: number
  /** The minimum rate after that. */
  minBytesPerSecond: number
  /** Unsent bytes over all connections. */
  maxUnsentBytes: number
  lookEveryMs: number
}

type Behind = { sinceMs: number; sentBefore: number; unsentThen: number }

/** Checks `sockets` periodically until `stop`. */
export function watchSlowReaders(
  sockets: ReadonlySet<Socket>,
  limits: SlowReaderLimits,
  now: () => number = () => performance.now(),
): { stop(): void } {
  const behind = new Map<Socket, Behind>()

  /** @returns the socket's unsent bytes, or 0 if it was cut off */
  function look(socket: Socket, nowMs: number): number {
    const unsent = socket.writableLength
    if (unsent === 0 || socket.destroyed) {
      behind.delete(socket)
      return 0
    }
    const sent = socket.bytesWritten - unsent
    const known = behind.get(socket) ?? { sinceMs: nowMs, sentBefore: sent, unsentThen: unsent }
    behind.set(socket, known)
    const due = known.unsentThen + sent - known.sentBefore
    const allowedMs = limits.graceMs + (due / limits.minBytesPerSecond) * 1000
    if (nowMs - known.sinceMs <= allowedMs) return unsent
    cutOff(socket)
    return 0
  }

  function cutOff(socket: Socket): void {
    behind.delete(socket)
    socket.destroy()
  }

  function lookOver(): void {
    const nowMs = now()
    for (const socket of behind.keys()) if (!sockets.has(socket)) behind.delete(socket)
    let unsent = 0
    for (const socket of sockets) unsent += look(socket, nowMs)
    // The map is in the order in which they fell behind.
    for (const socket of behind.keys()) {
      if (unsent <= limits.maxUnsentBytes) return
      unsent -= socket.writableLength
      cutOff(socket)
    }
  }

  const timer = setInterval(lookOver, limits.lookEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}
