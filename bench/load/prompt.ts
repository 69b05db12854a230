// A load generator shares the cores with the server that it measures. Where the system lets it (as root), it gets a
// core the moment it is woken, so that its own clock and queue are not part of a latency: as a real-time thread, or,
// without util-linux's chrt, by a niceness of -10, with which it may still wait for a slice of 3 ms to end.

import { spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'

const NICENESS = -10

export function runPromptly(): void {
  const lowestOfRealTime = ['--rr', '--pid', '1', String(process.pid)]
  if (spawnSync('chrt', lowestOfRealTime, { stdio: 'ignore' }).status === 0) return
  try {
    setPriority(NICENESS)
  } catch {
    // Its lateness is measured anyway.
  }
}
