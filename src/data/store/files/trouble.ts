// Explains SQLite's errors to the operator: the disk, the file or its permissions. Uses only the codes, so
// that it also works for errors from another thread.

type StoreTrouble = { message: string; hint: string }

/** Our own code: the database was removed under a running server. */
export const REMOVED = 'SLIPSTREAM_REMOVED'

type Rule = { codes: RegExp; what: string; hint: string }

const rules: Rule[] = [
  {
    codes: /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)/,
    what: 'The disk of the data folder is full',
    hint: 'Free some space and start again: stored data is intact, and the stream resumes where it stopped.',
  },
  {
    codes: /^SQLITE_(CORRUPT|NOTADB)/,
    what: 'The database in the data folder is damaged',
    hint: 'Restore slipstream.sqlite from a backup, or move it and its -wal and -shm files away to start afresh; and check the disk.',
  },
  {
    codes: /^SQLITE_(READONLY|PERM|CANTOPEN|AUTH)/,
    what: 'The database in the data folder cannot be opened for writing',
    hint: 'Give Slipstream’s user write access to the folder and all files in it, or set SLIPSTREAM_DATA_DIR.',
  },
  {
    codes: /^SLIPSTREAM_REMOVED$/,
    what: 'The database was removed while Slipstream was running',
    hint: 'Writes since then are lost. Restore a backup into the data folder, or start afresh; stop Slipstream before you move or restore its folder.',
  },
  {
    codes: /^SQLITE_IOERR/,
    what: 'The disk of the data folder fails',
    hint: 'Check the system log for errors of the disk or its connection.',
  },
]

/** Undefined for errors unrelated to the disk or the file. */
export function storeTrouble(error: unknown): StoreTrouble | undefined {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string') return undefined
  const rule = rules.find(({ codes }) => codes.test(code))
  const reason = String(message).startsWith(code) ? String(message) : `${code}: ${message}`
  return rule && { message: `${rule.what} (${reason}).`, hint: rule.hint }
}
