// A period of time, for those who may have to leave early.

/** Ends early if aborted, and never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(end, ms)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  return promise

  function end(): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    resolve()
  }
}
