// Limits how much work runs and how much waits. Callers may have their own lanes: lanes take turns, none may
// run more than its share, and if the queue is full, the longest lane loses an entry. So the slow work of
// one caller does not delay the others.

export type Limiter = {
  /**
   * @param lane - on whose behalf the work is done; callers without a name share one lane, which
   * has no limit of its own.
   */
  run<T>(work: () => Promise<T>, lane?: string): Promise<T>
}

type Limits = {
  maxRunning: number
  /** Limit for one named lane; if omitted, `maxRunning`. */
  maxRunningEach?: number
  /** If omitted, there is no limit. */
  maxWaiting?: number
  /** Begun in one turn of the event loop, where beginning costs: many may end, or be asked for, at one moment. */
  maxBegunATurn?: number
  /** The error for work that cannot be queued. */
  full?: () => Error
}

type Waiting = { start: () => void; refuse: (error: Error) => void }
type Lane = { running: number; waiting: Waiting[] }

export function createLimiter(limits: Limits): Limiter {
  const { maxRunning, maxRunningEach = maxRunning, maxWaiting = Infinity } = limits
  const { maxBegunATurn = Infinity } = limits
  const { full = () => new Error('too many wait') } = limits
  /** In order of their turns. */
  const lanes = new Map<string, Lane>()
  let running = 0
  let waiting = 0
  let begun = 0

  function mayRun(name: string, lane: Lane): boolean {
    if (running >= maxRunning || begun >= maxBegunATurn) return false
    return name === '' || lane.running < maxRunningEach
  }

  function begin(lane: Lane): void {
    running += 1
    lane.running += 1
    if (maxBegunATurn !== Infinity && begun++ === 0) setImmediate(goOn)
  }

  /** In the next turn. */
  function goOn(): void {
    begun = 0
    while (startNext());
  }

  /** @returns whether it has begun any */
  function startNext(): boolean {
    for (const [name, lane] of lanes) {
      if (lane.waiting.length === 0 || !mayRun(name, lane)) continue
      lanes.delete(name)
      lanes.set(name, lane)
      begin(lane)
      waiting -= 1
      lane.waiting.shift()!.start()
      return true
    }
    return false
  }

  function release(lane: Lane): void {
    running -= 1
    lane.running -= 1
    startNext()
  }

  /** @returns whether the longest lane had more waiting entries than this one will have. */
  function freeSlot(lane: Lane): boolean {
    const longest = longestOf(lanes)
    if (longest.waiting.length <= lane.waiting.length + 1) return false
    waiting -= 1
    longest.waiting.pop()!.refuse(full())
    return true
  }

  async function acquire(name: string, lane: Lane): Promise<void> {
    if (lane.waiting.length === 0 && mayRun(name, lane)) return begin(lane)
    if (waiting >= maxWaiting && !freeSlot(lane)) throw full()
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
