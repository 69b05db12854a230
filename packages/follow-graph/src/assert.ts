// A violated invariant of our own: the memory can't be trusted any more, so the process should stop.

export class InvariantError extends Error {
  override name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
