// A member's changes that have a limit, one after another: each is counted before the next is judged, in a turn of its
// own call. Sent all at once, hundreds would find the same room.

import { inTurn } from '../../../base/util/turn.ts'
import type { SignedInCall } from '../call.ts'

const latest = new Map<string, Promise<unknown>>()

/** @param limit - which one it is about */
export function oneByOne<T>(
  call: Pick<SignedInCall, 'viewer' | 'time'>,
  limit: string,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${limit} ${call.viewer.did}`
  const inItsTurn = async () => inTurn(call, work)
  const before = latest.get(key)
  const done = before ? before.then(inItsTurn, inItsTurn) : inItsTurn()
  latest.set(key, done)
  const forget = () => {
    if (latest.get(key) === done) latest.delete(key)
  }
  done.then(forget, forget)
  return done
}
