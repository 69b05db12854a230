// Clients that ask and do not read. What was written and not yet taken stands in our memory, and a
// client that takes a byte a minute looks alive to every timeout. So the connections are looked over
// every second: one that has something unsent must take it at a least pace, and what stands there for all
// of them together is bounded; where it is more, those that are behind the longest are cut off.

import type { Socket } from 'node:net'

export type SlowReaderLimits = {
  /** How long an answer may take whatever its size. */
  graceMs: number
  /** And beyond that, by its size. */
  minBytesPerSecond: number
  /** Unsent in all. */
  maxUnsentBytes: number
  lookEveryMs: number
}

type Behind = { sinceMs: number; sentBefore: number; unsentThen: number }

/** Looks over `sockets` from time to time until `stop`. */
export function watchSlowReaders(
  sockets: ReadonlySet<Socket>,
  limits: SlowReaderLimits,
  now: () => number = () => performance.now(),
): { stop(): void } {
  const behind = new Map<Socket, Behind>()

  /** @returns its unsent bytes, or 0 where it was cut off. */
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
    // Oldest first: that is the order in which they fell behind.
    for (const socket of behind.keys()) {
      if (unsent <= limits.maxUnsentBytes) return
      unsent -= socket.writableLength
      cutOff(socket)
    }
  }

  const timer = setInterval(lookOver, limits.lookEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}
