// Values that are synchronous whenever possible: without anything to wait for, the answer is made in the same
// turn. What goes on after waiting is a later turn of the same call.

import { type CallTime, inLaterTurn } from '../../../base/util/turn.ts'

export type MaybeLater<T> = T | Promise<T>

export function andThen<T, U>(
  found: MaybeLater<T>,
  then: (found: T) => MaybeLater<U>,
): MaybeLater<U> {
  return found instanceof Promise ? found.then(inLaterTurn(then)) : then(found)
}

/**
 * Does part of a call's work after an `await`, when its caller has a turn: many calls may have
 * waited for the same.
 */
export function inTurn<T>(
  { time }: { time?: CallTime | undefined },
  work: () => MaybeLater<T>,
): MaybeLater<T> {
  return time ? time.part(work) : work()
}

/** Collects all values in order; synchronous if all of them are. */
export function allOf<T>(found: readonly MaybeLater<T>[]): MaybeLater<T[]> {
  return found.some((one) => one instanceof Promise) ? Promise.all(found) : (found as T[])
}
