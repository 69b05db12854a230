// Two ways of sending requests: as fast as answers arrive (closed loop), or at predetermined times (open
// loop). Both run the warm-up and the measured time on the same connections, and record only the measured
// time.

import { createRandom, type Random } from '../../test/support/random.ts'
import { type LoadConnection, openConnection } from './connection.ts'
import { Histogram } from './histogram.ts'
import { nap } from './nap.ts'
import type { LoadPlan, LoadReport, OpenLoop } from './types.ts'

type Recorded = {
  latency: Histogram
  lateness: Histogram
  answered: number
  refused: number
  bodyBytes: number
  firstRefusal: string | undefined
}

export type LoadEvents = {
  /** The warm-up is over. */
  onMeasuring: () => void
  /** All requests are answered. */
  onMeasured: () => void
}

/** Milliseconds of the monotonic clock. */
const now = () => performance.now()

type Pool = {
  /** First in, first out: the server closes connections that say nothing for long. */
  idle: number[]
  send(connection: number, intendedAt: number): void
  /** Number of requests awaiting an answer. */
  readonly inFlight: number
  close(): void
}

/** @throws if a connection breaks or sends an unreadable answer */
export async function runLoad(plan: LoadPlan, events: LoadEvents): Promise<LoadReport> {
  const recorded: Recorded = {
    latency: new Histogram(),
    lateness: new Histogram(),
    answered: 0,
    refused: 0,
    bodyBytes: 0,
    firstRefusal: undefined,
  }
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const measuredFrom = now() + plan.warmupSeconds * 1000
  const measuredTo = measuredFrom + plan.seconds * 1000
  const span = { measuredFrom, measuredTo }
  const hooks = { onIdle: () => {}, onError: reject }
  const pool = await openPool(plan, span, recorded, hooks)
  const measuring = setTimeout(events.onMeasuring, measuredFrom - now())
  const cpuBefore = process.cpuUsage()
  const loop = plan.load.kind === 'closed' ? closedLoop : openLoop(plan.load, recorded.lateness)
  try {
    await Promise.race([loop(pool, span, hooks), failed])
    events.onMeasured()
  } finally {
    clearTimeout(measuring)
    pool.close()
  }
  const cpu = process.cpuUsage(cpuBefore)
  return toReport(plan, recorded, (cpu.user + cpu.system) / 1e6)
}

type Span = { measuredFrom: number; measuredTo: number }
type Hooks = { onIdle: () => void; onError: (error: Error) => void }
type Loop = (pool: Pool, span: Span, hooks: Hooks) => Promise<void>

async function openPool(
  plan: LoadPlan,
  { measuredFrom, measuredTo }: Span,
  recorded: Recorded,
  hooks: Hooks,
): Promise<Pool> {
  const intended = new Float64Array(plan.connections)
  const idle: number[] = []
  let next = 0
  const connections: LoadConnection[] = await Promise.all(
    Array.from({ length: plan.connections }, (_, i) =>
      openConnection(plan.port, {
        onError: (error) => hooks.onError(error),
        onAnswer: ({ status, bodyBytes, start }) => {
          const at = intended[i]!
          idle.push(i)
          // In a closed loop the answer's time decides whether it is counted, in an open loop the
          // request's.
          const counts = at >= measuredFrom && at < measuredTo
          if (counts && status === 200) {
            recorded.answered++
            recorded.bodyBytes += bodyBytes
            recorded.latency.record((now() - at) * 1000)
          } else if (counts) {
            recorded.refused++
            recorded.firstRefusal ??= `${status} ${start}`
          }
          hooks.onIdle()
        },
      }),
    ),
  )
  for (let i = 0; i < connections.length; i++) idle.push(i)
  return {
    idle,
    get inFlight() {
      return connections.length - idle.length
    },
    send(connection, intendedAt) {
      intended[connection] = intendedAt
      connections[connection]!.send(plan.requests[next]!)
      next = (next + 1) % plan.requests.length
    },
    close: () => {
      for (const connection of connections) connection.close()
    },
  }
}

function closedLoop(pool: Pool, { measuredTo }: Span, hooks: Hooks): Promise<void> {
  return new Promise((resolve) => {
    hooks.onIdle = () => {
      const at = now()
      if (at >= measuredTo) {
        if (pool.inFlight === 0) resolve()
        return
      }
      while (pool.idle.length > 0) pool.send(pool.idle.shift()!, at)
    }
    hooks.onIdle()
  })
}

/**
 * A request that finds no idle connection waits for one. That is the server's time, not the generator's:
 * `lateness` is from when a request is due to when the generator notices.
 */
function openLoop(load: OpenLoop, lateness: Histogram): Loop {
  return (pool, { measuredFrom, measuredTo }, hooks) => {
    const nextGap = gaps(load)
    const waiting = createQueue()
    let due = now() + nextGap()
    return new Promise((resolve) => {
      const noticeDue = () => {
        for (const at = now(); due <= at && due < measuredTo; due += nextGap()) {
          waiting.push(due)
          if (due >= measuredFrom) lateness.record((at - due) * 1000)
        }
      }
      // Also between the answers of a burst, which takes longer to read than requests are apart.
      hooks.onIdle = () => {
        noticeDue()
        while (pool.idle.length > 0 && waiting.length > 0) {
          pool.send(pool.idle.shift()!, waiting.shift())
        }
        if (due >= measuredTo && waiting.length === 0 && pool.inFlight === 0) resolve()
      }
      const tick = () => {
        hooks.onIdle()
        if (due >= measuredTo) return
        nap(due - now())
        setImmediate(tick)
      }
      tick()
    })
  }
}

function gaps({ perSecond, arrivals }: OpenLoop): () => number {
  const gapMs = 1000 / perSecond
  const random: Random = createRandom(1)
  return arrivals === 'even' ? () => gapMs : () => -Math.log(1 - random.next()) * gapMs
}

/** An array's `shift` is slow once the server falls far behind. */
function createQueue() {
  let items: number[] = []
  let head = 0
  return {
    get length() {
      return items.length - head
    },
    push: (item: number) => void items.push(item),
    shift(): number {
      const item = items[head++]!
      if (head > 10_000 && head * 2 > items.length) {
        items = items.slice(head)
        head = 0
      }
      return item
    },
  }
}

function toReport(plan: LoadPlan, recorded: Recorded, clientCpuSeconds: number): LoadReport {
  const { answered, refused, bodyBytes, firstRefusal } = recorded
  return {
    answered,
    refused,
    seconds: plan.seconds,
    perSecond: answered / plan.seconds,
    bodyBytes,
    latency: recorded.latency.quantiles(),
    recordings: recorded.latency.recordings(),
    lateness: recorded.lateness.quantiles(),
    firstRefusal,
    clientCpuSeconds,
  }
}
