// Checks the disk under the data folder: free space, file system, and what SQLite needs of it: flushed files,
// and a write-ahead log shared by two connections.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isDiskFull } from '../../data/store/files/disk-full.ts'
import { readDiskUse } from '../../data/store/files/disk-use.ts'
import { canStoreLogIn } from '../../data/store/files/probe.ts'
import type { DoctorContext } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, notice, wrong } from './finding.ts'

const GB = 1e9
const MB = 1e6
const NEARLY = 0.9
const MAKE_ROOM = 'The disk is full: make room.'
const REMOUNT = 'Mount it for writing. A disk with errors becomes read-only by itself: see `dmesg`.'
const LEAST_FREE_BYTES = 0.5 * GB
const LITTLE_FREE_BYTES = 2 * GB
const FEW_INODES = 10_000
const SLOW_FSYNC_MS = 100
const PROBE_BYTES = 64 * 1024

type Kind = { name: string; level: 'wrong' | 'notice'; why: string }

/** Magic numbers of Linux's statfs(2). */
const KINDS: Record<number, Kind> = {
  26985: network('NFS'),
  4283649346: network('CIFS'),
  20859: network('SMB'),
  4266872130: network('SMB2'),
  16914839: network('9p'),
  1702057286: {
    name: 'FUSE',
    level: 'notice',
    why: 'some FUSE file systems can’t lock or map files',
  },
  16914836: { name: 'tmpfs', level: 'wrong', why: 'everything is lost when the machine restarts' },
  2240043254: {
    name: 'ramfs',
    level: 'wrong',
    why: 'everything is lost when the machine restarts',
  },
  2035054128: { name: 'overlay', level: 'notice', why: 'everything is lost with the container' },
  19780: { name: 'FAT', level: 'wrong', why: 'it has no permissions, and no files over 4 GB' },
}

function network(name: string): Kind {
  return { name, level: 'wrong', why: 'SQLite’s log can’t be shared over a network' }
}

export function checkDisk({ config }: DoctorContext): Finding[] {
  const { dataDir, diskCapMb, diskReserveMb } = config
  const folder = nearestFolder(resolve(dataDir))
  const use = readDiskUse(folder)
  const { freeBytes } = use
  const databaseBytes = use.databaseBytes + use.logBytes
  const bounds = { capBytes: diskCapMb * MB, reserveBytes: diskReserveMb * MB }
  return [
    ...aboutCapacity({ freeBytes, databaseBytes }, folder),
    ...aboutBounds({ freeBytes, databaseBytes, ...bounds }),
    ...aboutInodes(folder),
    ...aboutKind(statfsSync(folder).type, folder),
    ...aboutWriting(folder),
  ]
}

type Bounds = { freeBytes: number; databaseBytes: number; capBytes: number; reserveBytes: number }

/** Less is kept from nine tenths of either limit on. @param capBytes - 0: none */
export function aboutBounds({
  freeBytes,
  databaseBytes,
  capBytes,
  reserveBytes,
}: Bounds): Finding[] {
  if (capBytes > 0 && databaseBytes > capBytes * NEARLY) {
    const text = `the database has ${gigabytes(databaseBytes)} of ${gigabytes(capBytes)}: it keeps less, to stay below the cap`
    return [notice(text, 'Raise SLIPSTREAM_DISK_CAP_MB if there is room.')]
  }
  if (freeBytes > reserveBytes) return []
  const text = `less than the reserve of ${gigabytes(reserveBytes)} is free, so it keeps less`
  return [notice(text, 'Make room, or lower SLIPSTREAM_DISK_RESERVE_MB.')]
}

/** If the data folder does not exist yet, the folder in which it will be created. */
export function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path))
}

export function aboutCapacity(
  sizes: { freeBytes: number; databaseBytes: number },
  folder: string,
): Finding[] {
  const { freeBytes, databaseBytes } = sizes
  const free = `${gigabytes(freeBytes)} free in ${folder}`
  const fix = 'Make room, or set SLIPSTREAM_DATA_DIR to a larger disk and move the folder there.'
  if (freeBytes < LEAST_FREE_BYTES) return [wrong(`only ${free}`, fix)]
  const found: Finding[] = []
  if (freeBytes < LITTLE_FREE_BYTES) {
    found.push(notice(`only ${free}: a day of a small community takes up to 2 GB`, fix))
  } else found.push(good(free))
  if (databaseBytes > freeBytes) {
    const text = `the database has ${gigabytes(databaseBytes)}: there is no room for a copy of it`
    const where = `Back up to another disk: \`${here.command('backup --into /mnt/backups')}\`. An upgrade that changes the database needs the room too, or SLIPSTREAM_UPGRADE_BACKUP=off.`
    found.push(notice(text, where))
  }
  return found
}

function aboutInodes(folder: string): Finding[] {
  const { files, ffree } = statfsSync(folder)
  // Some file systems have no such limit, and report 0.
  if (files === 0 || ffree > FEW_INODES) return []
  const text = `only ${ffree} more files can be created in ${folder}`
  return [wrong(text, 'Delete unneeded files: `df -i` shows the number of inodes.')]
}

export function aboutKind(type: number, folder: string): Finding[] {
  const kind = KINDS[type]
  if (!kind) return []
  const text = `${folder} is on ${kind.name}: ${kind.why}`
  const fix = 'Set SLIPSTREAM_DATA_DIR to a folder on a local disk (in Docker: a volume).'
  return [kind.level === 'wrong' ? wrong(text, fix) : notice(text, fix)]
}

/** In a separate folder, which is removed again. */
function aboutWriting(folder: string): Finding[] {
  let probe: string
  try {
    probe = mkdtempSync(join(folder, '.doctor-'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const text = `${folder} can’t be written (${code})`
    if (code === 'ENOSPC') return [wrong(text, MAKE_ROOM)]
    if (code === 'EROFS') return [wrong(text, REMOUNT)]
    const who = process.getuid?.() ?? ''
    return [
      wrong(
        text,
        `Give the user that runs Slipstream write access: \`sudo chown -R USER ${folder}\` (this ran as user ${who}).`,
      ),
    ]
  }
  try {
    return [aboutFlushing(probe), aboutLog(probe)]
  } finally {
    rmSync(probe, { recursive: true, force: true })
  }
}

function aboutFlushing(probe: string): Finding {
  try {
    const file = openSync(join(probe, 'flushed'), 'w')
    writeSync(file, Buffer.alloc(PROBE_BYTES))
    const startedAt = performance.now()
    fsyncSync(file)
    const ms = Math.round(performance.now() - startedAt)
    closeSync(file)
    const text = `a write is on the disk within ${ms} ms`
    return ms < SLOW_FSYNC_MS
      ? good(text)
      : notice(`${text}, which is slow`, 'Use an SSD, or look for other writers: `iostat -x 1`.')
  } catch (error) {
    return wrong(`files can’t be flushed to the disk: ${(error as Error).message}`, fixFor(error))
  }
}

function aboutLog(probe: string): Finding {
  try {
    if (canStoreLogIn(probe)) return good('SQLite can keep its write-ahead log there')
    return wrong('SQLite can’t keep a write-ahead log there', 'Use a local disk.')
  } catch (error) {
    return wrong(`SQLite can’t work there: ${(error as Error).message}`, fixFor(error))
  }
}

function fixFor(error: unknown): string {
  return isDiskFull(error) ? MAKE_ROOM : 'Use a local disk.'
}

export function gigabytes(bytes: number): string {
  return bytes < GB ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / GB).toFixed(1)} GB`
}
