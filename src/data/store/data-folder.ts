// The data folder holds members' private data, so no other user of the machine may read it. Start closes
// whatever an earlier version, or a person, left open; a folder that also holds other things is left as it
// is, since others may need them.

import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Restricts every file that the process creates to its user. */
export const PRIVATE_UMASK = 0o077
const OTHERS = 0o077
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OURS =
  /^(slipstream\.|did_.*\.json$|(control\.sock|dictionaries|media-cache|media-pinned|members-away|backups)$)/

export function isOurs(name: string): boolean {
  return OURS.test(name)
}

export function makeDataFolder(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: FOLDER_MODE })
}

/** @returns the names of the open files; `.` is the folder itself */
export function closeToOthers(dataDir: string): string[] {
  const names = readdirSync(dataDir)
  const ours = names.filter(isOurs)
  const isAllOurs = ours.length === names.length && names.length > 0
  return [...ours, ...(isAllOurs ? ['.'] : [])].filter((name) => close(join(dataDir, name)))
}

/** Files of another user can't be closed; the doctor reports them. */
function close(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return false
  if (found.uid !== process.getuid?.()) return false
  chmodSync(path, found.isDirectory() ? FOLDER_MODE : FILE_MODE)
  return true
}
