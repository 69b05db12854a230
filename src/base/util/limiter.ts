// So many at once, so many waiting, and not one more. Whoever asks can have a lane of their own: then lanes
// take turns, none may run more than its share, and where there is no place left to wait, the longest lane
// gives one up. So what one asker chose to be slow holds nobody else.

export type Limiter = {
  /** @param lane - for whom it is done; those without a name share one, which has no share of its own. */
  run<T>(work: () => Promise<T>, lane?: string): Promise<T>
}

type Limits = {
  maxRunning: number
  /** Of one named lane; all of them where not given. */
  maxRunningEach?: number
  /** As many as there are callers where not given. */
  maxWaiting?: number
  /** The error for the one that finds no place to wait. */
  full?: () => Error
}

type Waiting = { start: () => void; refuse: (error: Error) => void }
type Lane = { running: number; waiting: Waiting[] }

export function createLimiter(limits: Limits): Limiter {
  const { maxRunning, maxRunningEach = maxRunning, maxWaiting = Infinity } = limits
  const { full = () => new Error('too many wait') } = limits
  /** In the order of their turns. */
  const lanes = new Map<string, Lane>()
  let running = 0
  let waiting = 0

  function mayRun(name: string, lane: Lane): boolean {
    return running < maxRunning && (name === '' || lane.running < maxRunningEach)
  }

  function startNext(): void {
    for (const [name, lane] of lanes) {
      if (lane.waiting.length === 0 || !mayRun(name, lane)) continue
      lanes.delete(name)
      lanes.set(name, lane)
      running += 1
      lane.running += 1
      waiting -= 1
      return lane.waiting.shift()!.start()
    }
  }

  function release(lane: Lane): void {
    running -= 1
    lane.running -= 1
    startNext()
  }

  /** @returns whether the longest lane had more waiting than this one will. */
  function makeRoom(lane: Lane): boolean {
    const longest = longestOf(lanes)
    if (longest.waiting.length <= lane.waiting.length + 1) return false
    waiting -= 1
    longest.waiting.pop()!.refuse(full())
    return true
  }

  async function acquire(name: string, lane: Lane): Promise<void> {
    if (lane.waiting.length === 0 && mayRun(name, lane)) {
      running += 1
      lane.running += 1
      return
    }
    if (waiting >= maxWaiting && !makeRoom(lane)) throw full()
    waiting += 1
    await new Promise<void>((start, refuse) => lane.waiting.push({ start, refuse }))
  }

  return {
    async run(work, name = '') {
      const lane = lanes.get(name) ?? { running: 0, waiting: [] }
      lanes.set(name, lane)
      try {
        await acquire(name, lane)
        try {
          return await work()
        } finally {
          release(lane)
        }
      } finally {
        if (lane.running === 0 && lane.waiting.length === 0) lanes.delete(name)
      }
    },
  }
}

function longestOf(lanes: ReadonlyMap<string, Lane>): Lane {
  return [...lanes.values()].reduce((a, b) => (b.waiting.length > a.waiting.length ? b : a))
}
