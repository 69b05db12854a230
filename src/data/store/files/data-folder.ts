// The data folder holds members' private data, so no other user of the machine may read it. Start closes
// whatever an earlier version, or a person, left open; a folder that also holds other things is left as it
// is, since others may need them.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '../../../base/config/config.ts'
import { features } from '../../../base/feature.ts'

/** Restricts every file that the process creates to its user. */
export const PRIVATE_UMASK = 0o077
const OTHERS = 0o077
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OURS =
  /^(slipstream\.|did_.*\.json$|(control\.sock|dictionaries|media-cache|media-pinned|members-away|backups)$)/

export function isOurs(name: string): boolean {
  const isOfFeature = (file: string) => name === file || name.startsWith(`${file}.`)
  return OURS.test(name) || features.some(({ dataFiles = [] }) => dataFiles.some(isOfFeature))
}

/** @throws ConfigError if there is no way to make it */
export function makeDataFolder(dataDir: string): void {
  const above = dirname(resolve(dataDir))
  // Step by step: in /proc, Node's own recursion never ends.
  if (above !== resolve(dataDir)) makeDataFolder(above)
  const found = lstatSync(dataDir, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() && !existsSync(dataDir)) throw dangling(dataDir)
  if (found && !statSync(dataDir).isDirectory()) throw noFolder(dataDir)
  if (found) return
  try {
    mkdirSync(dataDir, { mode: FOLDER_MODE })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ConfigError(
      `The data folder ${resolve(dataDir)} cannot be made: its file system makes no folders.`,
      'Set SLIPSTREAM_DATA_DIR to a folder on a disk.',
    )
  }
}

function dangling(path: string): ConfigError {
  return new ConfigError(
    `${path} is a symbolic link to ${readlinkSync(path)}, which does not exist.`,
    'Mount or make what it leads to, or remove the link.',
  )
}

function noFolder(path: string): ConfigError {
  return new ConfigError(
    `${resolve(path)} is a file, not a folder.`,
    'Set SLIPSTREAM_DATA_DIR to a folder; it is made if it does not exist.',
  )
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
