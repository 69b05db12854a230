// A real file system of some hundred megabytes (the database's log alone may take 256), so that a disk can be
// full: a tmpfs where the tests may mount one (Linux, as root); elsewhere there is none, and runs go without
// that fault.

import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type SmallDisk = {
  folder: string
  /** False if nothing could be mounted: then the folder is an ordinary one and can't be filled. */
  isBounded: boolean
  /** Fills the disk to the last byte. */
  fill(): void
  free(): void
  dispose(): void
}

const MEGABYTES = 768
const CHUNK = Buffer.alloc(1 << 20, 0x55)

export function createSmallDisk(): SmallDisk {
  const root = mkdtempSync(join(tmpdir(), 'slipstream-disk-'))
  const isBounded = mount(root)
  const ballast = join(root, 'ballast')
  const folder = join(root, 'data')
  mkdirSync(folder)
  return {
    folder,
    isBounded,
    fill: () => {
      if (isBounded) fillWith(ballast)
    },
    free: () => rmSync(ballast, { force: true }),
    dispose: () => {
      if (isBounded) execFileSync('umount', ['-l', root])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function mount(path: string): boolean {
  try {
    const options = `size=${MEGABYTES}m,mode=0700`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'slipstream-torture', path], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

/** Writes ever smaller pieces, so that no space is left. */
function fillWith(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let size = CHUNK.length; size > 0; size >>= 1) while (fits(file, size));
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function fits(file: number, size: number): boolean {
  try {
    return writeSync(file, CHUNK, 0, size) === size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
