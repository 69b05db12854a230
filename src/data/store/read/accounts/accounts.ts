// Account lookups for requests, from our own index: the owner of a handle, the PDS of an account, and the rev
// of its last commit that we applied.

import type { Db } from '../../db.ts'

export type Accounts = {
  /** The account that holds this verified handle, or 0. */
  uidOfHandle(handle: string): number
  /** The same for many, in their order. */
  uidsOfHandles(handles: readonly string[]): number[]
  /** Rev of the last commit applied; undefined if none was. */
  revOf(uid: number): string | undefined
  /** Not deactivated, suspended, taken down or deleted. */
  isActive(uid: number): boolean
  /** Origin of the account's PDS, if known. */
  pdsOf(uid: number): string | undefined
}

export function createAccounts(db: Db): Accounts {
  const byHandle = db
    .prepare<[string], number>('SELECT uid FROM actors WHERE handle = ? AND handle_valid = 1')
    .pluck()
  const byHandles = db.prepare<[string], { place: number; uid: number }>(
    `SELECT k.key AS place, a.uid FROM json_each(?) k
      CROSS JOIN actors a ON a.handle = k.value AND a.handle_valid = 1`,
  )
  const rev = db.prepare<[number], string | null>('SELECT rev FROM actors WHERE uid = ?').pluck()
  const pds = db.prepare<[number], string | null>('SELECT pds FROM actors WHERE uid = ?').pluck()
  const status = db.prepare<[number], number>('SELECT status FROM actors WHERE uid = ?').pluck()
  return {
    uidOfHandle: (handle) => byHandle.get(handle.toLowerCase()) ?? 0,
    uidsOfHandles(handles) {
      const requested = JSON.stringify(handles.map((handle) => handle.toLowerCase()))
      const found = new Map(byHandles.all(requested).map(({ place, uid }) => [place, uid]))
      return handles.map((_, i) => found.get(i) ?? 0)
    },
    revOf: (uid) => rev.get(uid) ?? undefined,
    isActive: (uid) => status.get(uid) === 0,
    pdsOf: (uid) => pds.get(uid) ?? undefined,
  }
}
