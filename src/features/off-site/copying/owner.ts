// Which server ships below a prefix. Two would prune each other's copies, and a restore would bring the state of
// whichever wrote last. S3 has no lock that every store keeps, so the owner's object is renewed like a heartbeat: who
// finds another's that is young, or that replaced their own, sends nothing until that one has been silent.

import { hostname } from 'node:os'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { duration } from '../../../base/util/format.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import { OWNER } from './names.ts'
import type { Objects } from './objects.ts'

type Owned = {
  server: string
  run: string
  host: string
  /** Milliseconds of the owner's clock; 0: it ended, and gave the prefix back. */
  at: number
  /** After so long without a renewal, another may ship here. */
  silentMs: number
}

export type Owner = {
  /** How often it is renewed. */
  readonly everyMs: number
  /** Call before anything is sent, and each `everyMs / 2`. @throws BucketError if another server ships here */
  claim(): Promise<void>
  /** The next server need not wait; where this fails, it does. */
  release(): Promise<void>
}

const MAX_RENEWED_MS = 2 * MINUTE_MS
/** Renewals that may fail. */
const SILENT_TIMES = 2.5

/**
 * @param options.server - of the data folder, so that a restart takes over at once
 * @param options.shipsEveryMs - renewed every second time, and every two minutes at least
 */
export function createOwner(options: {
  objects: Objects
  server: string
  run: string
  shipsEveryMs: number
  now: () => number
}): Owner {
  const { objects, server, run, now } = options
  const everyMs = Math.min(2 * options.shipsEveryMs, MAX_RENEWED_MS)
  const owned = (at: number): Owned => {
    return { server, run, host: hostname(), at, silentMs: everyMs * SILENT_TIMES }
  }
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
    const isOld = !isOurs && Math.abs(now() - found.at) > found.silentMs
    return isOld || now() - other.seenAt > found.silentMs
  }

  return {
    everyMs,
    async claim() {
      if (isOurs && Math.abs(now() - renewedAt) < everyMs) return
      const found = await read()
      if (!mayTake(found)) throw inUse(objects.url, found!)
      await objects.putJson(OWNER, owned(now()))
      renewedAt = now()
      isOurs = true
    },
    async release() {
      try {
        if (!isOurs || (await read())?.run !== run) return
        await objects.putJson(OWNER, owned(0))
        isOurs = false
      } catch {
        // What was shipped is stored all the same.
      }
    },
  }
}

function inUse(url: string, { host, silentMs }: Owned): BucketError {
  return new BucketError(
    `Another server (${host}) ships to ${url}.`,
    `Give each server a prefix of its own in SLIPSTREAM_OFF_SITE_TO. If the other is gone, this one goes on ${duration(silentMs)} after its last sign of life.`,
  )
}
