// So many at once, so many waiting, and not one more.

export type Limiter = { run<T>(work: () => Promise<T>): Promise<T> }

/** `full` makes the error for the one that finds no place to wait. */
export function createLimiter(options: {
  maxRunning: number
  maxWaiting: number
  full: () => Error
}): Limiter {
  const waiting: (() => void)[] = []
  let running = 0

  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }

  async function acquire(): Promise<void> {
    if (running < options.maxRunning) {
      running += 1
      return
    }
    if (waiting.length >= options.maxWaiting) throw options.full()
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  return {
    async run(work) {
      await acquire()
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
