// Servers that refused `reverse`, or ignored it, of an account that they do list: they are not asked for it again
// for a while.

import { DAY_MS } from '../../base/util/durations.ts'
import { LruMap } from '../../base/util/lru.ts'
import type { ListingServices } from './walk.ts'

const MAX_SERVERS = 1_000
const REMEMBERED_FOR_MS = DAY_MS

const refusedAt = new WeakMap<ListingServices['pds'], LruMap<string, number>>()

export function refusesReverse({ pds, now }: ListingServices, server: string): boolean {
  const ageMs = now() - (refusedAt.get(pds)?.get(server) ?? -Infinity)
  return ageMs >= 0 && ageMs < REMEMBERED_FOR_MS
}

export function noteRefusal({ pds, now }: ListingServices, server: string): void {
  const servers = refusedAt.get(pds) ?? new LruMap<string, number>(MAX_SERVERS)
  refusedAt.set(pds, servers)
  servers.set(server, now())
}
