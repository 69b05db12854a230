// A broken invariant of ours stops the process loudly (invariant 9); bad outside data never comes
// here, it is dropped and counted.

export class InvariantError extends Error {
  override name = 'InvariantError'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
