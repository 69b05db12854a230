// Accounts admitted to a closed server, besides those that the configuration names.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type AdmissionRow = {
  did: string
  /** The invite that they used; null if the operator admitted them. */
  code: string | null
  admitted_at: number
}

const statements = perDatabase((db) => ({
  find: db.prepare<[string], AdmissionRow>('SELECT * FROM admissions WHERE did = ?'),
  insert: db.prepare<[string, string | null, number]>(
    'INSERT OR IGNORE INTO admissions (did, code, admitted_at) VALUES (?, ?, ?)',
  ),
  all: db.prepare<[], AdmissionRow>('SELECT * FROM admissions'),
  remove: db.prepare<[string]>('DELETE FROM admissions WHERE did = ?'),
}))

export function findAdmission(db: Db, did: string): AdmissionRow | undefined {
  return statements(db).find.get(did)
}

/** An account that is already admitted keeps its row. */
export function insertAdmission(db: WriteDb, row: AdmissionRow): void {
  statements(db).insert.run(row.did, row.code, row.admitted_at)
}

export function deleteAdmission(db: WriteDb, did: string): boolean {
  return statements(db).remove.run(did).changes > 0
}

export function allAdmissions(db: Db): AdmissionRow[] {
  return statements(db).all.all()
}
