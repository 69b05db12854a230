// The way of frames from one socket to whoever reads them: in order, one after the other, no more of them in
// memory than a bound of bytes, and no faster than its pace. While we are behind, the socket waits; between
// two frames the thread is given back, so that no labeler keeps it from the stream.

import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Pace } from './pace.ts'

type Intake = {
  take(frame: Buffer): void
  /** Resolves when what waits is read. */
  ended(): Promise<void>
}

type Options = {
  maxWaitingBytes: number
  paces: readonly Pace[]
  signal: AbortSignal
  /** @returns false where nothing more is to be read. */
  read: (frame: Buffer) => Promise<boolean>
  pause: () => void
  resume: () => void
}

/** What a frame costs that has next to nothing in it: its way through socket and decoder. */
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
