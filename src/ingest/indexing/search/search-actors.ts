import { asObject, parseJson } from '../../../base/util/json-object.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import {
  actorToIndex,
  changeIndexedActors,
  type IndexedActor,
  indexedActor,
  toIndexedActor,
} from '../../../data/store/search/actor-index.ts'
import { actorNames } from '../../../data/store/search/actor-terms.ts'

/** Adds the rows' current names to the index; removes outdated ones. */
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

/** The record is as stored by a repository, unchecked. */
function displayNameIn(profile: string | null): unknown {
  return asObject(parseJson(profile ?? ''))?.['displayName']
}
