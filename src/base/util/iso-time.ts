// Times in the network's format. Most are of few days, and formatting a Date costs ten times as much as the
// time of the day.

import { DAY_MS } from './durations.ts'
import { LruMap } from './lru.ts'

const FIRST_YEAR_0 = -62_167_219_200_000
const END_OF_9999 = 253_402_300_800_000
/** How far from 1970 a Date may be. */
const FARTHEST_MS = 8.64e15

const dates = new LruMap<number, string>(512)

/**
 * Returns undefined for null. Records may contain any time; times outside a Date's range become the
 * nearest valid one.
 */
export function isoTime(ms: number): string
export function isoTime(ms: number | null): string | undefined
export function isoTime(ms: number | null): string | undefined {
  if (ms === null) return undefined
  const isUsual = ms >= FIRST_YEAR_0 && ms < END_OF_9999 && Number.isInteger(ms)
  if (!isUsual) return new Date(Math.max(-FARTHEST_MS, Math.min(FARTHEST_MS, ms))).toISOString()
  const day = Math.floor(ms / DAY_MS)
  const rest = ms - day * DAY_MS
  const seconds = Math.floor(rest / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `${dateOf(day)}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(rest % 1_000)}Z`
}

/** Whether `Date.parse` reads it. */
export function isTimeText(value: unknown): value is string {
  return typeof value === 'string' && Number.isFinite(Date.parse(value))
}

function dateOf(day: number): string {
  const known = dates.get(day)
  if (known) return known
  const text = new Date(day * DAY_MS).toISOString().slice(0, 10)
  dates.set(day, text)
  return text
}

function two(number: number): string {
  return number < 10 ? `0${number}` : `${number}`
}

function three(number: number): string {
  return number < 100 ? `0${two(number)}` : `${number}`
}
