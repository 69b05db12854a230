// Several callers wait here until all are released, or until their own time is up.

type SpaceWaits = {
  /** Resolves when all are released, after `ms` if given, or on abort. */
  wait(ms?: number, signal?: AbortSignal): Promise<void>
  letGo(): void
}

export function createSpaceWaits(): SpaceWaits {
  const waiting = new Set<() => void>()
  return {
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(go, ms)
        function go(): void {
          clearTimeout(timer)
          signal?.removeEventListener('abort', go)
          waiting.delete(go)
          resolve()
        }
        waiting.add(go)
        signal?.addEventListener('abort', go, { once: true })
      }),
    letGo() {
      for (const go of [...waiting]) go()
    },
  }
}
