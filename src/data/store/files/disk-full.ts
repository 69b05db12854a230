// Tells by its code whether an error means a full disk, so that it also works for errors from another thread.
// SQLite has then rolled back its operation.

const FULL = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_SHMSIZE',
  'SQLITE_IOERR_WRITE',
  'ENOSPC',
  'EDQUOT',
])

/** For callers that asked for a write and do not wait until it fits. */
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
