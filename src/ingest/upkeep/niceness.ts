import { setPriority } from 'node:os'

/** When processors are short, answers take precedence: catching up can wait a few milliseconds. */
const NICENESS = 5

/** Only on Linux does a thread have its own niceness; elsewhere it is the whole process'. */
export function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // Not permitted: both then have the same priority.
  }
}
