// Which labelers apply to a request: those that it names, if they exist, or the configured ones if it names
// none. As in the reference, configured labelers always exist, and named ones must be known, active accounts.
// Labelers named by members are reported to the ingest thread, which follows them (ingest/labels/); each is
// reported again from time to time.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Accounts } from '../../../data/store/read/accounts/accounts.ts'
import { type AcceptLabelers, parseAcceptLabelers } from '../../server/labelers.ts'

const REPORTED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const MAX_REMEMBERED = 1_000
const MAX_IN_FLIGHT = 8

export function createAcceptLabelers(parts: {
  /** DIDs; these labelers may redact. */
  defaults: readonly string[]
  actors: Pick<ActorReader, 'uidOf'>
  accounts: Pick<Accounts, 'isActive'>
  writer: Writer
  now?: () => number
}): AcceptLabelers {
  const { actors, accounts } = parts
  const defaults = { dids: parts.defaults, redact: new Set(parts.defaults) }
  const known = new Set(parts.defaults)
  const tell = createTeller(parts)

  const exists = (did: string) => {
    if (known.has(did)) return true
    const uid = actors.uidOf(did)
    return uid !== 0 && accounts.isActive(uid)
  }

  return (header, viewer) => {
    const named = parseAcceptLabelers(header)
    if (!named) return defaults
    if (named.dids.every((did) => known.has(did))) return named
    if (viewer) {
      const others = named.dids.filter((did) => !known.has(did))
      tell(viewer, others)
    }
    const dids = named.dids.filter(exists)
    return dids.length === named.dids.length ? named : { dids, redact: named.redact }
  }
}

/** Fire and forget: a lost report is repeated with a later request. */
function createTeller({ writer, now = Date.now }: { writer: Writer; now?: () => number }) {
  const notified = new LruMap<string, number>(MAX_REMEMBERED)
  let inFlight = 0
  return (viewer: string, dids: readonly string[]): void => {
    if (inFlight >= MAX_IN_FLIGHT) return
    const isDue = (did: string) =>
      now() - (notified.get(did) ?? -Infinity) >= REPORTED_AGAIN_AFTER_MS
    const labelers = dids.filter(isDue)
    if (labelers.length === 0) return
    for (const did of labelers) notified.set(did, now())
    inFlight++
    writer
      .send({ kind: 'labelers-named', did: viewer, labelers })
      .catch(() => {
        // If the writer is busy or the disk is full, the next request reports them again.
        for (const did of labelers) notified.delete(did)
      })
      .finally(() => inFlight--)
  }
}
