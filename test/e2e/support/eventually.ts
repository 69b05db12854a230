// Waits for something that the network needs a moment for.

import { MAX_WAIT_MS } from '../../support/patience.ts'

const POLL_MS = 40

/**
 * Repeats `check` until it no longer throws.
 * @returns what it returned.
 * @throws its last error once time is up, or at once one that `giveUp` names as final.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { withinMs?: number; pollMs?: number; giveUp?: (error: unknown) => boolean } = {},
): Promise<T> {
  const { withinMs = MAX_WAIT_MS, pollMs = POLL_MS, giveUp = () => false } = options
  const deadline = Date.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline || giveUp(error)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
