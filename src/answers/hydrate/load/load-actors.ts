// Accounts: turns rows into Actors.

import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import type { ActorRow } from '../../../data/store/read/accounts/actors.ts'
import { statusCode } from '../../../data/store/records/status.ts'
import { type Found, isSameRow } from '../cached-rows.ts'
import type { Loader } from '../page.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundProfile } from '../shapes/record-shapes.ts'
import type { Actor, HiddenAs, Profile } from '../types.ts'

const VERSION = 7
/** Approximate bytes of an Actor without its record, and of a record per character of its JSON. */
const ACTOR_BYTES = 1_500
const BYTES_A_CHARACTER = 4

const hidden: HiddenAs[] = ['deactivated', 'suspended', 'takendown', 'deleted']
const hiddenByCode = new Map(hidden.map((name) => [statusCode(name), name]))

type ProfileText = Pick<Profile, 'cid' | 'record'> & { bytes: number }

export function loadActors(loader: Loader, uids: Iterable<number>): Actor[] {
  const rows = loader.readers.actors.rows(uids)
  const texts = readTexts(loader, rows)
  return rows.map((row) => {
    const found = loader.cachedActors.find(row[0])
    if (found && isSameRow(found.row, row)) return found.value
    return makeActor(loader, row, { found, text: texts.get(row[0]) })
  })
}

/** Reads the profile records whose current version is not cached. */
function readTexts(loader: Loader, rows: ActorRow[]): Map<number, ProfileText> {
  const texts = new Map<number, ProfileText>()
  const unread = rows.filter(
    (row) =>
      row[VERSION] !== null && loader.cachedActors.find(row[0])?.row[VERSION] !== row[VERSION],
  )
  if (unread.length === 0) return texts
  for (const [uid, cid, json] of loader.readers.actors.profiles(unread.map(([uid]) => uid))) {
    const record = parseRecord<Profile['record']>(json, {
      kind: 'profile',
      isSound: isSoundProfile,
      onUnusable: loader.onUnusable,
    })
    const bytes = json.length * BYTES_A_CHARACTER
    if (record) texts.set(uid, { cid: unpackCid(cid), record, bytes })
  }
  return texts
}

function makeActor(
  loader: Loader,
  row: ActorRow,
  { found, text }: { found: Found<ActorRow, Actor> | undefined; text: ProfileText | undefined },
): Actor {
  const isSameProfile = found?.row[VERSION] === row[VERSION]
  const profile = isSameProfile ? found?.value.profile : text
  const actor = toActor(loader, row, profile)
  const isUnusable = row[VERSION] !== null && !profile
  if (isUnusable) return actor
  const bytes = isSameProfile ? found?.bytes : text?.bytes
  loader.cachedActors.add(actor.uid, row, actor, ACTOR_BYTES + (bytes ?? 0))
  return actor
}

function toActor(
  loader: Loader,
  row: ActorRow,
  profile: Pick<Profile, 'cid' | 'record'> | undefined,
): Actor {
  const [uid, handle, handleValid, status, followsCount, followersCount, postsCount] = row
  return {
    uid,
    did: loader.context.actors.didOf(uid),
    handle: handleValid && handle ? handle : INVALID_HANDLE,
    hiddenAs: hiddenByCode.get(status),
    profile: profile && toProfile(row, profile),
    followersCount,
    followsCount,
    postsCount,
  }
}

function toProfile(row: ActorRow, { cid, record }: Pick<Profile, 'cid' | 'record'>): Profile {
  const [createdAt, indexedAt] = [row[8] ?? undefined, row[9]!]
  return { cid, record, createdAt, sortAt: Math.min(createdAt ?? Infinity, indexedAt) }
}
