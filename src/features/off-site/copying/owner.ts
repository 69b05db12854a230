// Which server ships below a prefix. Two would prune each other's copies, and a restore would bring the state of
// whichever wrote last. S3 has no lock that every store keeps, so the owner's object is renewed like a heartbeat: who
// finds another's that is young, or that replaced their own, sends nothing until that one has been silent.

import { hostname } from 'node:os'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import { OWNER } from './names.ts'
import type { Objects } from './objects.ts'

/** Milliseconds of the owner's clock; 0: it ended, and gave the prefix back. */
type Owned = { server: string; run: string; host: string; at: number }

export type Owner = {
  /** Call before anything is sent. @throws BucketError if another server ships here */
  claim(): Promise<void>
  /** The next server need not wait. */
  release(): Promise<void>
}

const RENEWED_MS = 2 * MINUTE_MS
const SILENT_MS = 5 * MINUTE_MS

/** @param server - of the data folder, so that a restart takes over at once */
export function createOwner(options: {
  objects: Objects
  server: string
  run: string
  now: () => number
}): Owner {
  const { objects, server, run, now } = options
  let isOurs = false
  let renewedAt = 0
  /** Another's heartbeat, and when it was first seen: clocks may differ. */
  let other: { at: number; seenAt: number } | undefined

  async function read(): Promise<Owned | undefined> {
    try {
      return await objects.getJson<Owned>(OWNER)
    } catch (error) {
      if (error instanceof BucketError && error.isMissing) return undefined
      throw error
    }
  }

  function mayTake(found: Owned | undefined): boolean {
    if (!found || found.at === 0 || found.run === run) return true
    if (found.server === server && !isOurs) return true
    if (other?.at !== found.at) other = { at: found.at, seenAt: now() }
    const isOld = !isOurs && Math.abs(now() - found.at) > SILENT_MS
    return isOld || now() - other.seenAt > SILENT_MS
  }

  return {
    async claim() {
      if (isOurs && Math.abs(now() - renewedAt) < RENEWED_MS) return
      const found = await read()
      if (!mayTake(found)) throw inUse(objects.url, found!)
      await objects.putJson(OWNER, { server, run, host: hostname(), at: now() } satisfies Owned)
      renewedAt = now()
      isOurs = true
    },
    async release() {
      if (!isOurs || (await read())?.run !== run) return
      await objects.putJson(OWNER, { server, run, host: hostname(), at: 0 } satisfies Owned)
      isOurs = false
    },
  }
}

function inUse(url: string, { host }: Owned): BucketError {
  return new BucketError(
    `Another server (${host}) ships to ${url}.`,
    'Give each server a prefix of its own in SLIPSTREAM_OFF_SITE_TO. If the other is gone, this one goes on five minutes after its last sign of life.',
  )
}
