// A load generator shares the cores with the server that it measures. Where the system lets it (as root), it stays on
// the last core and gets it the moment it is woken, as a real-time thread, so that neither its own clock and queue nor
// the times at which it interrupts the server are part of a latency. Without util-linux, it has a niceness of -10,
// with which it may still wait for a slice of 3 ms to end.

import { spawnSync } from 'node:child_process'
import { cpus, setPriority } from 'node:os'

const NICENESS = -10

export function runPromptly(): void {
  const id = String(process.pid)
  const isPinned = system('taskset', '--cpu-list', '--pid', String(cpus().length - 1), id)
  if (isPinned && system('chrt', '--rr', '--pid', '1', id)) return
  try {
    setPriority(NICENESS)
  } catch {
    // Its lateness is measured anyway.
  }
}

function system(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
