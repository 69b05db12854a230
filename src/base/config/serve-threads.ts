// How many threads serve: one less than the processors, since ingest has one, as far as memory allows.

import { availableParallelism } from 'node:os'
import { memoryOfMachine } from '../util/machine-memory.ts'
import { integer, Unfit } from './parsers.ts'

/** Where threads can share a port (SO_REUSEPORT distributes connections). */
const SHARING = new Set<NodeJS.Platform>(['linux', 'freebsd'])
const MOST = 64
/** Of the machine's memory, the rest is for the system, the file cache and others. */
const OUR_SHARE = 0.5
/** With one serving thread, and for each further one: heap, answer cache and database pages. */
const FIRST_MB = 500
const EACH_MB = 220

type Machine = { cores: number; memoryMb: number; platform: NodeJS.Platform }

export function serveThreads(text: string): number {
  if (text.trim().toLowerCase() === 'auto') return threadsFor(thisMachine())
  try {
    return integer(1, MOST)(text)
  } catch {
    throw new Unfit(`a whole number from 1 to ${MOST}, or auto`)
  }
}

export function threadsFor({ cores, memoryMb, platform }: Machine): number {
  if (!SHARING.has(platform)) return 1
  const fitting = 1 + Math.floor((memoryMb * OUR_SHARE - FIRST_MB) / EACH_MB)
  return Math.max(1, Math.min(cores - 1, fitting, MOST))
}

function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryMb: memoryOfMachine() / 1e6,
    platform: process.platform,
  }
}
