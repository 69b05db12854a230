// Whether a connection is read: not before it is open, not while it is paused, and not while it rests, which
// ends by itself.

import type { WebSocket } from 'ws'

/**
 * For the socket's options. Otherwise Node goes on reading a paused socket until 64 KB wait in it, one wake
 * of the thread after another. ws hands the option to `net.connect` or `tls.connect`.
 */
export const READ_NOTHING_AHEAD = { highWaterMark: 1 }

type Flow = {
  open(): void
  setPaused(isPaused: boolean): void
  /** Ends after so many milliseconds, unless it rests already. */
  rest(ms: number): void
  stop(): void
  /** Open and not paused. */
  isLive(): boolean
}

export function createFlow(ws: WebSocket): Flow {
  let isOpen = false
  let isPaused = false
  let resting: ReturnType<typeof setTimeout> | undefined

  function apply(): void {
    if (!isOpen) return
    if (isPaused || resting) ws.pause()
    else ws.resume()
  }

  function endRest(): void {
    resting = undefined
    apply()
  }

  return {
    open() {
      isOpen = true
      apply()
    },
    setPaused(paused) {
      isPaused = paused
      apply()
    },
    rest(ms) {
      if (!isOpen) return
      resting ??= setTimeout(endRest, ms)
      apply()
    },
    stop: () => clearTimeout(resting),
    isLive: () => isOpen && !isPaused,
  }
}
