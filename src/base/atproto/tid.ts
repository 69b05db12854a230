// Converts between TIDs and timestamps. https://atproto.com/specs/tid

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
