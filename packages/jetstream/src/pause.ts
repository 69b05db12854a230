// A period of time, for those who may have to leave early.

import { setTimeout as sleep } from 'node:timers/promises'

/** Ends early if aborted, and never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
