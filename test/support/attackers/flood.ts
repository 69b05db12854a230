// Attackers: loops that each send one request after another for a while.

import { setTimeout as pause } from 'node:timers/promises'
import type { Request } from '../costly/requests.ts'
import type { CostlyServer } from '../costly/server.ts'

export type Flood = {
  atOnce: number
  forMs: number
  /** The next request; undefined: there are no more. */
  next: () => Request | undefined
}

export type Answers = { statuses: Record<number, number> }

/** Who may send the next request after this one was refused at once, in milliseconds. */
const LEAST_PAUSE_MS = 5

export async function flood(server: CostlyServer, attack: Flood): Promise<Answers> {
  const { atOnce, forMs, next } = attack
  const statuses: Record<number, number> = {}
  const until = performance.now() + forMs
  async function attackOn(): Promise<void> {
    while (performance.now() < until) {
      const request = next()
      if (!request) return
      // A connection that the server closes is an answer, too.
      const { status } = await server.ask(request).catch(() => ({ status: 0 }))
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 429) await pause(LEAST_PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, attackOn))
  return { statuses }
}

/** As if from an address that has not asked before: the proxy beside the server names it. */
export function fromNewAddress(request: Request): Request {
  addresses += 1
  const address = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
  return { ...request, headers: { ...request.headers, 'x-forwarded-for': address } }
}

let addresses = 0
