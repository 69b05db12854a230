// What is given up when disk space runs out, and in which order. A level follows when the previous one has done its
// work and that was not enough. When there is room again, all levels end, and their data is restored as far as
// possible. Pure functions, so that the order can be read here.

import { DAY_MS } from '../../../base/util/durations.ts'
import type { DiskState } from '../../../bridge/messages.ts'

const states: readonly DiskState[] = [
  'ok',
  'without-search',
  'strangers-pruned',
  'neighbours-pruned',
  'strangers-refused',
]

const LAST_LEVEL = states.length - 1

/** Shares of the cap at which something is given up, and below which it is restored. */
const TIGHT = 0.9
const ROOMY = 0.75

export function stateOfLevel(level: number): DiskState {
  return states[level]!
}

/** @param isWorkDone - whether the level has freed all that it can */
export function nextLevel(
  level: number,
  { usedBytes, capBytes, isWorkDone }: { usedBytes: number; capBytes: number; isWorkDone: boolean },
): number {
  if (isTight({ usedBytes, capBytes })) return isWorkDone ? Math.min(level + 1, LAST_LEVEL) : level
  return usedBytes / Math.max(capBytes, 1) < ROOMY ? 0 : level
}

export function isTight({ usedBytes, capBytes }: { usedBytes: number; capBytes: number }): boolean {
  return usedBytes / Math.max(capBytes, 1) >= TIGHT
}

export function takesStrangers(level: number): boolean {
  return level < LAST_LEVEL
}

export function isSearchGivenUp(level: number): boolean {
  return level >= 1
}

/** Retention times: those of the settings, in days with 0 for ever, or less by level. */
export function retentionDays(
  level: number,
  settings: { strangersDays: number; neighboursDays: number },
): { strangersMs: number; neighboursMs: number } {
  const strangers = [Infinity, Infinity, 7, 3, 1][level]!
  const neighbours = [Infinity, Infinity, Infinity, 30, 7][level]!
  const days = (setting: number, most: number) => Math.min(setting === 0 ? Infinity : setting, most)
  return {
    strangersMs: days(settings.strangersDays, strangers) * DAY_MS,
    neighboursMs: days(settings.neighboursDays, neighbours) * DAY_MS,
  }
}

/**
 * The configured cap, or the one that leaves the reserve free, whichever is less. `capBytes` 0: not
 * configured.
 */
export function capOf(
  setting: { capBytes: number; reserveBytes: number },
  disk: { fileBytes: number; freeBytes: number },
): number {
  const byReserve = Math.max(disk.fileBytes + disk.freeBytes - setting.reserveBytes, 0)
  return setting.capBytes === 0 ? byReserve : Math.min(setting.capBytes, byReserve)
}
