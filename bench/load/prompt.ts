// A load generator shares the cores with the server that it measures. Where the system lets it (as root), it gets the
// cores first, so that its own clock and queue are not part of a latency.

import { setPriority } from 'node:os'

const NICENESS = -10

export function runPromptly(): void {
  try {
    setPriority(NICENESS)
  } catch {
    // Its lateness is measured anyway.
  }
}
