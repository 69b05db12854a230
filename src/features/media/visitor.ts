// Who asks for a picture or video, and what its later turns cost them. A handler waits for files and other
// servers again and again, so most of its work is not in the turn that it began in: where that is much, it is
// measured; otherwise it has a price, as it has for bytes, which sockets write on their own.

import type { Context } from 'hono'
import type { CallTime } from '../../base/util/turn.ts'
import type { Connected } from '../../http/server/http-request.ts'
import type { BlobName } from './media-path.ts'

/** Opening and reading a kept file, and writing its head: a tenth of a millisecond. */
const LATER_TURNS_MS = 0.1
/** 0.14 s for a gigabit (docs/VIDEO.md). */
const MS_A_BYTE = 1.1e-6
const FETCH_MS = 0.3

/** Undefined for clients without limits. */
export function visitorOf(c: Context): string | undefined {
  return envOf(c)?.visitor
}

export function timeOf(c: Context): CallTime | undefined {
  return envOf(c)?.time
}

/** What a blob's name says about who asks for it. */
export function requestedBy(c: Context): Pick<BlobName, 'asker' | 'time'> {
  return { asker: visitorOf(c), time: timeOf(c) }
}

/** Charges the turns of a handler that are too short to be measured. */
export function chargeLaterTurns(c: Context): void {
  timeOf(c)?.addElsewhere(LATER_TURNS_MS)
}

export function chargeBytes(time: CallTime | undefined, bytes: number): void {
  time?.addElsewhere(bytes * MS_A_BYTE)
}

/**
 * Charges the connection to a blob's server, which is in no turn. Less than the millisecond that it takes, since a
 * household has one address and a screen dozens of pictures.
 */
export function chargeFetch(time: CallTime | undefined): void {
  time?.addElsewhere(FETCH_MS)
}

/** Work of a later turn, measured. */
export function onItsTime<T>(time: CallTime | undefined, work: () => T): T {
  return time ? time.run(work) : work()
}

function envOf(c: Context): Connected | undefined {
  return c.env as Connected | undefined
}
