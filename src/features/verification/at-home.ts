// Whether a host is the server of a member, or of somebody they follow.

import { findActor } from '../../data/store/records/actors.ts'
import type { Core } from '../../ingest/core.ts'

/** @param host - a ws:// or wss:// origin */
export function createIsAtHome(
  { actors, db }: Pick<Core, 'actors' | 'db'>,
  isOurs: (did: string) => boolean,
) {
  return (did: string, host: string): boolean => {
    if (!isOurs(did)) return false
    const pds = findActor(db, actors.uidOf(did))?.pds
    return URL.parse(pds ?? '')?.host === URL.parse(host)?.host
  }
}
