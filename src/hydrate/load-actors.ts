// Accounts: rows → Actor.

import { unpackCid } from '../store/keys.ts'
import type { ActorRow } from '../store/read/actors.ts'
import { statusCode } from '../store/status.ts'
import { type OnUnusable, parseRecord } from './parse-record.ts'
import { isSoundProfile } from './record-shapes.ts'
import type { Actor, HiddenAs, Profile } from './types.ts'

const INVALID_HANDLE = 'handle.invalid'

const hidden: HiddenAs[] = ['deactivated', 'suspended', 'takendown', 'deleted']
const hiddenByCode = new Map(hidden.map((name) => [statusCode(name), name]))

export function toActor(row: ActorRow, onUnusable: OnUnusable): Actor {
  return {
    uid: row.uid,
    did: row.did,
    handle: row.handleValid && row.handle ? row.handle : INVALID_HANDLE,
    hiddenAs: hiddenByCode.get(row.status),
    profile: toProfile(row, onUnusable),
    followersCount: row.followersCount,
    followsCount: row.followsCount,
    postsCount: row.postsCount,
  }
}

function toProfile(row: ActorRow, onUnusable: OnUnusable): Profile | undefined {
  if (row.profileCid === null || row.profileIndexedAt === null) return undefined
  const record = parseRecord<Profile['record']>(row.profileRecord, {
    kind: 'profile',
    isSound: isSoundProfile,
    onUnusable,
  })
  if (!record) return undefined
  const createdAt = row.profileCreatedAt ?? undefined
  const sortAt = Math.min(createdAt ?? Infinity, row.profileIndexedAt)
  return { cid: unpackCid(row.profileCid), record, createdAt, sortAt }
}
