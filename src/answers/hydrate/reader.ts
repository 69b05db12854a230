// For whom and when something is read: made once a request and handed down from there, so that nothing
// that is read for it depends on anything else. A state keeps it (types.ts); what the index lacks is
// gathered in it, for the caller to fetch.

import { type Labelers, NO_LABELERS } from './labelers.ts'
import { MissingSet } from './missing-set.ts'
import type { Viewer } from './types.ts'

export type Reader = {
  readonly viewer: Viewer
  readonly labelers: Labelers
  /** Milliseconds since 1970. */
  readonly now: number
  readonly missing: MissingSet
  /** The operator and their moderation services are shown what was taken down, too. */
  readonly seesTakenDown: boolean
}

export function createReader(
  viewer: Viewer,
  options: { labelers?: Labelers; now?: number; seesTakenDown?: boolean } = {},
): Reader {
  const { labelers = NO_LABELERS, now = Date.now(), seesTakenDown = false } = options
  return { viewer, labelers, now, missing: new MissingSet(), seesTakenDown }
}

/** The same as somebody sees it who is not signed in. */
export function asVisitor({ labelers, now }: Reader): Reader {
  return createReader(undefined, { labelers, now })
}

/** The same without anybody's labels. */
export function withoutLabelers({ viewer, now, seesTakenDown }: Reader): Reader {
  return createReader(viewer, { now, seesTakenDown })
}

/** Nobody in particular, and nobody's labels: what is then read may be kept for everyone. */
export function asEveryone({ now }: Reader): Reader {
  return createReader(undefined, { now })
}
