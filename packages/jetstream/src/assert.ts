// A violated invariant of our own is never taken for a stranger's bad data.

export class InvariantError extends Error {
  override name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** Whether an unexpected error while a frame was read may be due to the frame, not to us or the machine. */
export function mayBeTheirs(error: unknown): boolean {
  if (error instanceof InvariantError) return false
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code !== 'string' || !/^E[A-Z0-9]+$/.test(code)
}
