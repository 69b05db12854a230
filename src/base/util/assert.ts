// A violated invariant of our own stops the process loudly (invariant 9). Bad outside data never gets here:
// it is dropped and counted.

export class InvariantError extends Error {
  override name = 'InvariantError'

  /** By name, because the packages of packages/ bring a class of their own: theirs is as fatal. */
  static override [Symbol.hasInstance](value: unknown): value is InvariantError {
    return value instanceof Error && value.name === 'InvariantError'
  }
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/**
 * SQLite's codes about values. Its other codes, and Node's, for example ENOSPC, are failures of the
 * machine.
 */
const ABOUT_VALUES = /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/

/**
 * Whether an unexpected error, thrown while a stranger's data was read or applied, may be due to
 * the data. Such data is dropped and counted, and the process continues. False if an invariant is
 * violated or the machine is at fault.
 */
export function mayBeTheirs(error: unknown): boolean {
  if (error instanceof InvariantError) return false
  const { code } = (error ?? {}) as { code?: unknown }
  if (typeof code !== 'string') return true
  return ABOUT_VALUES.test(code) || !/^(SQLITE_|E[A-Z0-9]+$)/.test(code)
}
