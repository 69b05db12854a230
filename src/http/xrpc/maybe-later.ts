// At once wherever it can be: what waits for nothing is answered in the same turn.

export type MaybeLater<T> = T | Promise<T>

export function andThen<T, U>(
  found: MaybeLater<T>,
  then: (found: T) => MaybeLater<U>,
): MaybeLater<U> {
  return found instanceof Promise ? found.then(then) : then(found)
}

/** All of them in order; at once where each is. */
export function allOf<T>(found: readonly MaybeLater<T>[]): MaybeLater<T[]> {
  return found.some((one) => one instanceof Promise) ? Promise.all(found) : (found as T[])
}
