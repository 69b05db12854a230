// A broken invariant of ours stops the process loudly (invariant 9); bad outside data never comes
// here, it is dropped and counted.

export class InvariantError extends Error {
  override name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** What a machine says when it can't: of SQLite all but what is about the values, of Node names like ENOSPC. */
const ABOUT_VALUES = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * Whether an error that nobody foresaw, thrown while a stranger's data was read or applied, may be that data's doing:
 * then the data is left out and counted, and nothing ends. Not where an invariant is broken, or the machine is at fault.
 */
export function mayBeTheirs(error: unknown): boolean {
  if (error instanceof InvariantError) return false
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return true
  return ABOUT_VALUES.test(code) || !/^(SQLITE_|E[A-Z0-9]+$)/.test(code)
}
