// From accounts' rows to the index of names.

import { asObject, parseJson } from '../../base/util/json-object.ts'
import { actorNames } from '../../data/search/actor-terms.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import {
  actorToIndex,
  changeIndexedActors,
  type IndexedActor,
  indexedActor,
  toIndexedActor,
} from '../../data/store/search/actor-index.ts'

/** Puts into the index what the rows say now; takes out what they don't say any more. */
export function refreshActorIndex(db: WriteDb, uids: readonly number[]): void {
  const changes = uids.map((uid) => ({ before: indexedActor(db, uid), after: read(db, uid) }))
  changeIndexedActors(db, changes)
}

function read(db: Db, uid: number): IndexedActor | undefined {
  const source = actorToIndex(db, uid)
  if (!source) return undefined
  const names = actorNames(source.handle, displayNameIn(source.profile))
  return toIndexedActor(uid, names, source.followers)
}

/** As stored by a repository that nobody checks. */
function displayNameIn(profile: string | null): unknown {
  return asObject(parseJson(profile ?? ''))?.['displayName']
}
