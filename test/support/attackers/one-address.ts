// What one address buys of the serving thread: it asks as hard as it can, for one kind of route after another and
// then for all of them, each time as an address that has asked for nothing yet.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readCpu } from '../../../bench/world/process-cpu.ts'
import { type CostlyServer, DEFAULT_LIMITS, startCostlyServer } from '../costly/server.ts'
import type { Cast } from '../costly/worst-rows.ts'
import type { Bid, BuyOrder, BuyReport } from './buyer.ts'
import { familiesOver } from './families.ts'

export type Purchase = {
  family: string
  /** Through a reverse proxy, whose connections cannot be closed, or over connections of its own. */
  isProxied: boolean
  /** Processor time of the serving thread beyond an idle server's. */
  boughtMs: number
  seconds: number
  statuses: Record<number, number>
}

export type OneAddressOptions = {
  dataDir: string
  cast: Cast
  /** How long the address buys of each kind (0: of none by itself), and of all. */
  seconds: number
  secondsOfAll: number
  onPurchase?: (purchase: Purchase) => void
  only?: string | undefined
}

const BUYER = join(import.meta.dirname, 'buyer.ts')
const AT_ONCE = 16
/** The quietest of several moments: what the server does now and then is not taken from a purchase. */
const IDLE_MS = 500
const MOMENTS = 8
/** All of 127/8 is this machine; of it, only this one is a proxy. */
const PROXY = '127.0.0.1'

export async function buyAsOneAddress(options: OneAddressOptions): Promise<Purchase[]> {
  const { dataDir, cast, seconds, secondsOfAll, onPurchase, only } = options
  const server = await startCostlyServer(dataDir, { ...DEFAULT_LIMITS, TRUSTED_PROXIES: PROXY })
  try {
    const idle = await idleMs(server)
    const purchases: Purchase[] = []
    const families = familiesOver(cast).filter(({ name }) => !only || name.includes(only))
    const all = {
      name: 'all',
      bids: interleaved(families.map(({ bids }) => bids)),
      forS: secondsOfAll,
    }
    const each = seconds > 0 ? families.map((family) => ({ ...family, forS: seconds })) : []
    const plans = [...each, all]
    for (const { name, bids, forS } of plans) {
      for (const isProxied of [false, true]) {
        const forMs = forS * 1_000
        const order = { ...comingFrom(isProxied, bids), port: server.port, atOnce: AT_ONCE, forMs }
        const { ms, result } = await measured(server, () => bought(order))
        const boughtMs = ms - (idle / IDLE_MS) * forMs
        const purchase = {
          family: name,
          isProxied,
          boughtMs,
          seconds: forS,
          ...result,
        }
        purchases.push(purchase)
        onPurchase?.(purchase)
      }
    }
    return purchases
  } finally {
    await server.close()
  }
}

async function idleMs(server: CostlyServer): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < MOMENTS; i++) {
    least = Math.min(least, await servingMs(server, () => pause(IDLE_MS)))
  }
  return least
}

let addresses = 1

function comingFrom(
  isProxied: boolean,
  bids: readonly Bid[],
): Pick<BuyOrder, 'bids' | 'localAddress'> {
  addresses += 1
  if (!isProxied) return { bids, localAddress: `127.0.0.${addresses}` }
  const from = { 'x-forwarded-for': `203.0.113.${addresses}` }
  const proxied = bids.map((bid) => ({ ...bid, headers: { ...bid.headers, ...from } }))
  return { bids: proxied, localAddress: PROXY }
}

/** One of each in turn, so that none is asked more than another. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) =>
    lists.map((list) => list[i % list.length]!),
  ).flat()
}

async function bought(order: BuyOrder): Promise<BuyReport> {
  const buyer = fork(BUYER)
  const end = () => buyer.kill('SIGKILL')
  process.once('exit', end)
  try {
    buyer.send(order)
    const [report] = (await once(buyer, 'message')) as [BuyReport]
    return report
  } finally {
    process.off('exit', end)
    end()
  }
}

async function measured<T>(server: CostlyServer, work: () => Promise<T>) {
  let result: T | undefined
  const ms = await servingMs(server, async () => {
    result = await work()
  })
  return { ms, result: result! }
}

async function servingMs(server: CostlyServer, work: () => Promise<unknown>): Promise<number> {
  const before = readCpu(server.pid).serving
  await work()
  return (readCpu(server.pid).serving - before) * 1_000
}
