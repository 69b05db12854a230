// Converts between TIDs and timestamps. https://atproto.com/specs/tid

import { DAY_MS } from '../util/durations.ts'
import { microsOf, packRkey, tidOf } from './keys.ts'

/** Milliseconds since 1970; Infinity if the text is not a TID. */
export function tidTimeMs(tid: string): number {
  const rkey = packRkey(tid)
  return typeof rkey === 'string' ? Number.POSITIVE_INFINITY : Math.floor(microsOf(rkey) / 1000)
}

/** The lowest TID at a time. */
export function tidAt(timeMs: number): string {
  return tidOfMicros(Math.floor(timeMs) * 1000, 0)
}

/** @param clockId - below 1024 */
export function tidOfMicros(timeUs: number, clockId: number): string {
  return tidOf(Math.floor(timeUs / 2 ** 22), (timeUs % 2 ** 22) * 1024 + clockId)
}

/** Before the first repositories; some servers number their revisions from 1970 on. */
const FIRST_REV_MS = Date.UTC(2022, 0)
const MAX_REV_AHEAD_MS = DAY_MS

/**
 * The time of a repository's revision, in milliseconds since 1970; undefined if the revision can't
 * have been made by a clock, and so says nothing about when the repository changed.
 */
export function revTimeMs(rev: string, now: number): number | undefined {
  const timeMs = tidTimeMs(rev)
  return timeMs >= FIRST_REV_MS && timeMs < now + MAX_REV_AHEAD_MS ? timeMs : undefined
}
