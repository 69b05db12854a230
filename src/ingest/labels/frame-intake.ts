// Passes frames from one socket to their reader: in order, one at a time, within a bound of bytes in memory,
// and no faster than the pace. While the reader is behind, the socket is paused. Between frames the thread is
// yielded, so that no labeler blocks the main stream.

import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Pace } from './pace.ts'

type Intake = {
  take(frame: Buffer): void
  /** Resolves when all waiting frames are read. */
  ended(): Promise<void>
}

type Options = {
  maxWaitingBytes: number
  paces: readonly Pace[]
  signal: AbortSignal
  /** @returns false to stop reading. */
  read: (frame: Buffer) => Promise<boolean>
  pause: () => void
  resume: () => void
}

/** Cost of a nearly empty frame: its way through socket and decoder. */
const LEAST_COST = 256
const TURN_MS = 5

export function createIntake(options: Options): Intake {
  const { maxWaitingBytes, paces, signal, read } = options
  const waiting: Buffer[] = []
  let waitingBytes = 0
  let isOver = false
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    let turnBegan = performance.now()
    for (let frame = waiting.shift(); frame && !isOver; frame = waiting.shift()) {
      waitingBytes -= frame.length + LEAST_COST
      for (const pace of paces) await pace.take(frame.length + LEAST_COST, signal)
      if (signal.aborted) break
      isOver = !(await read(frame))
      if (performance.now() - turnBegan < TURN_MS) continue
      await yieldToOthers()
      turnBegan = performance.now()
    }
    draining = undefined
    if (isOver) waiting.length = 0
    options.resume()
  }

  return {
    take(frame) {
      if (isOver) return
      waiting.push(frame)
      waitingBytes += frame.length + LEAST_COST
      if (waitingBytes >= maxWaitingBytes) options.pause()
      draining ??= drain()
    },
    ended: async () => {
      await draining
    },
  }
}
