// A log of likes in a ring: the newest takes the place of the oldest. Each like points at the one before it by
// the same account and at the one before it of the same post, by its number. Numbers only grow, so a pointer
// to what was overwritten shows itself by being too low, and nothing has to be unlinked.

import { ENTRY_WORDS, H, type Log, type State } from './layout.ts'
import { ageOf } from './minutes.ts'

const USER = 0
const POST = 1
const BY_USER = 2
const BY_POST = 3

/** Numbers are unsigned; the first is 1, and 0 is none. */
export function headOf({ header }: State, log: Log): number {
  return header[log.head]! >>> 0
}

/** Number of the oldest like that is there; one more than the head if none is. */
export function tailOf({ header }: State, log: Log): number {
  const head = header[log.head]! >>> 0
  return Math.max(1, header[log.tail]! >>> 0, head - log.capacity + 1)
}

export function indexOf(log: Log, number: number): number {
  return number % log.capacity
}

export function userAt(log: Log, index: number): number {
  return log.entries[index * ENTRY_WORDS + USER]!
}

/** No slot has this reference. */
const NOBODY = 2 ** 24 - 1

/** Makes a like nobody's; it stays in the post's chain, and ends the account's. */
export function makeNobodys(log: Log, index: number): void {
  log.entries[index * ENTRY_WORDS + USER] = NOBODY
}

export function postAt(log: Log, index: number): number {
  return log.entries[index * ENTRY_WORDS + POST]!
}

export function beforeByUser(log: Log, index: number): number {
  return log.entries[index * ENTRY_WORDS + BY_USER]! >>> 0
}

export function beforeByPost(log: Log, index: number): number {
  return log.entries[index * ENTRY_WORDS + BY_POST]! >>> 0
}

type NewEntry = {
  user: number
  post: number
  byUser: number
  byPost: number
  /** Shortened. */
  minute: number
}

/** @returns its number */
export function append(state: State, log: Log, entry: NewEntry): number {
  const number = headOf(state, log) + 1
  const index = indexOf(log, number)
  const at = index * ENTRY_WORDS
  log.entries[at + USER] = entry.user
  log.entries[at + POST] = entry.post
  log.entries[at + BY_USER] = entry.byUser
  log.entries[at + BY_POST] = entry.byPost
  log.minutes[index] = entry.minute
  state.header[log.head] = number | 0
  return number
}

/** How many likes the log holds. */
export function sizeOf(state: State, log: Log): number {
  return headOf(state, log) - tailOf(state, log) + 1
}

/** Place of the like that the next one overwrites; undefined while there is room. */
export function nextToGo(state: State, log: Log): number | undefined {
  return sizeOf(state, log) < log.capacity ? undefined : indexOf(log, headOf(state, log) + 1)
}

/** Age in minutes of the oldest like. */
export function spanOf(state: State, log: Log): number {
  if (sizeOf(state, log) === 0) return 0
  return ageOf(log.minutes[indexOf(log, tailOf(state, log))]!, state.header[H.now]!)
}

/** Drops the likes that are older than this many minutes. */
export function dropOlder(state: State, log: Log, minutes: number): void {
  while (spanOf(state, log) > minutes) state.header[log.tail] = (tailOf(state, log) + 1) | 0
}
