// The viewer and the time that data is read for: created once per request and passed down, so that reads
// depend on nothing else. A state keeps it (types.ts). It also collects what the index lacks, for the caller
// to fetch.

import { type Labelers, NO_LABELERS } from './labelers.ts'
import { MissingSet } from './missing-set.ts'
import type { Viewer } from './types.ts'

export type Reader = {
  readonly viewer: Viewer
  readonly labelers: Labelers
  /** Milliseconds since 1970. */
  readonly now: number
  readonly missing: MissingSet
  /** The operator and their moderation services also see what was taken down. */
  readonly seesTakenDown: boolean
}

export function createReader(
  viewer: Viewer,
  options: { labelers?: Labelers; now?: number; seesTakenDown?: boolean } = {},
): Reader {
  const { labelers = NO_LABELERS, now = Date.now(), seesTakenDown = false } = options
  return { viewer, labelers, now, missing: new MissingSet(), seesTakenDown }
}

/** The same reader without a viewer, as if not signed in. */
export function asVisitor({ labelers, now }: Reader): Reader {
  return createReader(undefined, { labelers, now })
}

/** The same reader without labelers. */
export function withoutLabelers({ viewer, now, seesTakenDown }: Reader): Reader {
  return createReader(viewer, { now, seesTakenDown })
}

/** A reader without viewer and labelers: data read for it may be cached for everyone. */
export function asEveryone({ now }: Reader): Reader {
  return createReader(undefined, { now })
}
