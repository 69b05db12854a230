// Whose labels the request that is being answered takes into account.
//
// That is a property of the request, as its deadline is, and matters to everything that is read for
// it, through every handler and skeleton between; so it is not handed down from one to the next, but
// stands around the call. Hydration puts it into the state (ProfileState.labels), and from there on
// it is an ordinary value. Outside of requests nobody's labels count.

import { AsyncLocalStorage } from 'node:async_hooks'

export type Labelers = {
  /** In the order in which the client named them. */
  dids: readonly string[]
  /** Those of them whose takedowns hide content altogether. */
  redact: ReadonlySet<string>
}

export const NO_LABELERS: Labelers = { dids: [], redact: new Set() }

const current = new AsyncLocalStorage<Labelers>()

/** Runs `work`, and whatever it waits for, with these labelers. */
export function withLabelers<T>(labelers: Labelers, work: () => T): T {
  return current.run(labelers, work)
}

export function currentLabelers(): Labelers {
  return current.getStore() ?? NO_LABELERS
}
