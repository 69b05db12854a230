// So many at once, the others in the order they came. Its queue is as long as its callers are many.

type Semaphore = { enter(): Promise<void>; leave(): void }

export function createSemaphore(places: number): Semaphore {
  const waiting: (() => void)[] = []
  let free = places
  return {
    enter() {
      if (free > 0) {
        free -= 1
        return Promise.resolve()
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    },
  }
}
