// Slots for work that many callers want. A claim names all that it uses (a host, an account, an address), each with
// a limit, and starts once each of them has a slot free. Waiting claims are in lanes that take turns. So work that
// could start never waits behind work that can't.

export type Claim = {
  /** Claims that wait for each other. */
  lane: string
  /** Lanes of one group share its queue. */
  group: string
  /** How many may run at once under each key, the claim itself included. */
  limits: readonly Limit[]
}
type Limit = readonly [key: string, most: number]

export type Ticket = {
  /** Resolves to a function that releases the slot; rejects if there is no room to wait. */
  entered: Promise<() => void>
  /** While it waits: adds it to the lane of another caller, where it may come first. */
  join(claim: Claim): void
}

type FairSlots = { take(claim: Claim): Ticket }

type Entry = {
  /** In how many lanes it waits; 0 once it runs or was refused. */
  slots: number
  start: (claim: Claim) => void
  refuse: (error: Error) => void
}
type Waiting = { entry: Entry; claim: Claim }
type Lane = Waiting[]

/** Of one claim; later callers wait in the lanes of earlier ones. */
const MOST_LANES = 8

/** @param waiting - most claims that wait in a group; beyond it, its longest lane loses one. */
export function createFairSlots(options: { waiting: number; full: () => Error }): FairSlots {
  const { fits, count } = createCounts()
  /** By group, then by lane, in the order of their turns. */
  const groups = new Map<string, Map<string, Lane>>()

  function begin({ entry, claim }: Waiting): void {
    entry.slots = 0
    count(claim, 1)
    entry.start(claim)
  }

  function startAll(): void {
    for (const lanes of groups.values()) {
      for (const [name, lane] of lanes) {
        const next = nextOf(lane, fits)
        if (lane.length > 0 && !next) continue
        // A lane that had its turn goes to the end, and this loop comes to it again.
        lanes.delete(name)
        if (next) lanes.set(name, lane)
        if (next) begin(next)
      }
    }
  }

  function wait(waiting: Waiting): void {
    const { entry, claim } = waiting
    const lanes = groups.get(claim.group) ?? new Map<string, Lane>()
    groups.set(claim.group, lanes)
    const lane = lanes.get(claim.lane) ?? []
    if (waitingIn(lanes) >= options.waiting && !freeSlot(lanes, lane, options.full)) {
      if (entry.slots === 0) entry.refuse(options.full())
      return
    }
    entry.slots += 1
    lanes.set(claim.lane, lane)
    lane.push(waiting)
  }

  function take(claim: Claim): Ticket {
    const { promise: entered, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = (used: Claim) => {
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        count(used, -1)
        startAll()
      }
    }
    const entry: Entry = { slots: 0, start: (used) => resolve(leave(used)), refuse: reject }
    const requested = new Set<string>()
    const ask = (claim: Claim) => {
      requested.add(claim.lane)
      if (fits(claim)) begin({ entry, claim: claim })
      else wait({ entry, claim: claim })
    }
    ask(claim)
    return {
      entered,
      join(other) {
        const isKnown = requested.has(other.lane) || requested.size >= MOST_LANES
        if (entry.slots > 0 && !isKnown) ask(other)
      },
    }
  }

  return { take }
}

/** How many run under each key. */
function createCounts() {
  const running = new Map<string, number>()
  return {
    fits: ({ limits }: Claim) => limits.every(([key, most]) => (running.get(key) ?? 0) < most),
    count({ limits }: Claim, by: 1 | -1): void {
      for (const [key] of limits) {
        const now = (running.get(key) ?? 0) + by
        if (now > 0) running.set(key, now)
        else running.delete(key)
      }
    },
  }
}

/** Removes and returns the first that may start, and those that run or were refused elsewhere. */
function nextOf(lane: Lane, fits: (claim: Claim) => boolean): Waiting | undefined {
  for (let i = 0; i < lane.length; ) {
    const waiting = lane[i]!
    const isOver = waiting.entry.slots === 0
    if (!isOver && !fits(waiting.claim)) i++
    else lane.splice(i, 1)
    if (!isOver && fits(waiting.claim)) return waiting
  }
  return undefined
}

function waitingIn(lanes: ReadonlyMap<string, Lane>): number {
  let sum = 0
  for (const { length } of lanes.values()) sum += length
  return sum
}

/** @returns whether the longest lane had more waiting claims than this one will have. */
function freeSlot(lanes: ReadonlyMap<string, Lane>, lane: Lane, full: () => Error): boolean {
  const longest = [...lanes.values()].reduce((a, b) => (b.length > a.length ? b : a))
  if (longest.length <= lane.length + 1) return false
  const { entry } = longest.pop()!
  if (entry.slots > 0 && --entry.slots === 0) entry.refuse(full())
  return true
}
