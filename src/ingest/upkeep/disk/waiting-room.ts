// Where several wait until somebody lets all of them go, or their time is up.

type WaitingRoom = {
  /** Resolves when all are let go, after `ms` where given, or when the signal is aborted. */
  wait(ms?: number, signal?: AbortSignal): Promise<void>
  letGo(): void
}

export function createWaitingRoom(): WaitingRoom {
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
