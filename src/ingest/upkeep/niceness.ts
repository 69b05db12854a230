// The ingest thread's rank among threads that want a core.

import { setPriority } from 'node:os'

/** Answers come first where processors are short: catching up can wait a few milliseconds. */
const NICENESS = 5

/** On Linux alone a thread has a niceness of its own; elsewhere it is the whole process'. */
export function letOthersGoFirst(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // Not allowed here: then both are equal.
  }
}
