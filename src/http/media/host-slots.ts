// Slots for fetches from other servers: limited in all, per server and per domain, since the owner of a
// domain can have any number of servers. A fetch whose server has no free slot waits without blocking fetches
// from others.

import { isIP } from 'node:net'
import { createLimiter } from '../../base/util/limiter.ts'
import { MediaError } from './media-error.ts'

type HostSlots = {
  /**
   * Resolves to a function that releases the slot.
   * @throws MediaError if too many are waiting
   */
  enter(url: string): Promise<() => void>
}

export type SlotLimits = { inAll: number; perDomain: number; perHost: number; waiting: number }

export function createHostSlots({ inAll, perDomain, perHost, waiting }: SlotLimits): HostSlots {
  const bounds = {
    maxWaiting: waiting,
    full: () => new MediaError('busy', 'Busy', 'too many pictures and videos at once'),
  }
  const hosts = createLimiter({
    ...bounds,
    maxRunning: Number.POSITIVE_INFINITY,
    maxRunningEach: perHost,
  })
  const domains = createLimiter({ ...bounds, maxRunning: inAll, maxRunningEach: perDomain })

  return {
    enter(url) {
      const { host, hostname } = new URL(url)
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const stay = () => new Promise<void>((leave) => resolve(leave))
      hosts.run(() => domains.run(stay, domainOf(hostname)), host).catch(reject)
      return promise
    },
  }
}

function domainOf(hostname: string): string {
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) > 0
  return isAddress ? hostname : hostname.split('.').slice(-2).join('.')
}
