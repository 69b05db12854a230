// What the rows say of an account: which server it is at, and its latest revision.

import { findActor } from '../../data/store/records/actors.ts'
import type { Core } from '../../ingest/core.ts'

type Parts = Pick<Core, 'actors' | 'db'>

/** @param host - a ws:// or wss:// origin */
export function createIsAtHome({ actors, db }: Parts, isOurs: (did: string) => boolean) {
  return (did: string, host: string): boolean => {
    if (!isOurs(did)) return false
    const pds = findActor(db, actors.uidOf(did))?.pds
    return pds !== null && pds !== undefined && URL.parse(pds)?.host === URL.parse(host)?.host
  }
}

/** Known of members, from what the stream brought. */
export function createLastRev({ actors, db }: Parts) {
  return (did: string): string | undefined => {
    const uid = actors.uidOf(did)
    return uid === 0 ? undefined : (findActor(db, uid)?.rev ?? undefined)
  }
}
