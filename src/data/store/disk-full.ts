// Whether an error says that there is no room on the disk, by its code, so that it is also told when it came
// from another thread. What SQLite was doing is rolled back then.

const FULL = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_SHMSIZE',
  'SQLITE_IOERR_WRITE',
  'ENOSPC',
  'EDQUOT',
])

/** For whoever asked for a write and does not wait until it fits. */
export class DiskFullError extends Error {
  override name = 'DiskFullError'
  readonly code = 'SQLITE_FULL'
  constructor(options?: { cause: unknown }) {
    super('The disk of the data folder is full', options)
  }
}

export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && FULL.has(code)
}
