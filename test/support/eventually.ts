// Waits for another thread, process or host: the only way to wait in the tests, besides `expect.poll`, which
// is for a single value. Fake timers do not stop it.

import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_WAIT_MS } from './patience.ts'

const POLL_MS = 10

type Waiting = { withinMs?: number; pollMs?: number }

/**
 * Repeats `check` until it no longer throws.
 * @returns its result
 * @throws its last error once time is up, or at once an error that `giveUp` declares final
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: Waiting & { giveUp?: (error: unknown) => boolean } = {},
): Promise<T> {
  const { withinMs = MAX_WAIT_MS, pollMs = POLL_MS, giveUp = () => false } = options
  const deadline = performance.now() + withinMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline || giveUp(error)) throw error
    }
    await sleep(pollMs)
  }
}

/** Repeats `isSo` until it holds. Its errors are thrown at once. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  {
    withinMs = MAX_WAIT_MS,
    pollMs = POLL_MS,
    what = String(isSo),
  }: Waiting & { what?: string } = {},
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`)
    await sleep(pollMs)
  }
}
