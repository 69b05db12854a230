// Rules for each server: concurrent jobs, pauses, and circuit breaking. A host that answers 429, or whose
// RateLimit-Remaining runs out, is left alone until the time it named. Several failures in a row open its
// circuit: it is left alone for a pause that doubles with each further failure, then gets one probe at a time
// until it answers. Entries of healthy, idle hosts are dropped, so the table holds only active ones.

import { backoffMs, jittered } from '../../base/util/backoff.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import { remainingRequests, retryAfterMs } from './rate-limit-headers.ts'

export type HostLimits = {
  /** Concurrent jobs on one host; a job has one request open at a time. */
  perHost: number
  /** Concurrent identity lookups: at the directory and the hosts of handles. */
  identities: number
  /** Failures in a row that open the circuit. */
  failuresToOpen: number
  firstBackoffMs: number
  longestBackoffMs: number
}

export type Hosts = {
  /** Whether one more job may start on this host now. */
  hasRoom(host: string): boolean
  enter(host: string): void
  leave(host: string): void
  /** The clock was set back by `byMs` milliseconds. */
  bringForward(byMs: number): void
  /** Milliseconds until the host may be asked again; 0: now. */
  waitMs(host: string): number
  noteAnswer(host: string, answer: { status: number; headers: Headers }): void
  noteFailure(host: string): void
}

type Host = { active: number; until: number; failures: number }

/** Represents the directory and all other servers used for identity lookups. */
export const IDENTITY_HOST = 'identity'

/** Requests left in reserve when a server counts down our quota: others may share our address. */
const RESERVED_REQUESTS = 8
const LONGEST_ORDERED_WAIT_MS = HOUR_MS
const DEFAULT_RATE_LIMIT_MS = 30_000
const MAX_HOSTS = 10_000

export function createHosts(options: {
  limits: HostLimits
  now: () => number
  random: () => number
}): Hosts {
  const { limits, now, random } = options
  const hosts = new Map<string, Host>()

  function hostOf(name: string): Host {
    const known = hosts.get(name)
    if (known) return known
    if (hosts.size >= MAX_HOSTS) dropIdle(hosts, now())
    const host = { active: 0, until: 0, failures: 0 }
    hosts.set(name, host)
    return host
  }

  const isOpen = (host: Host) => host.failures >= limits.failuresToOpen

  function leaveAlone(host: Host, durationMs: number): void {
    host.until = Math.max(host.until, now() + Math.min(durationMs, LONGEST_ORDERED_WAIT_MS))
  }

  return {
    hasRoom(name) {
      const host = hosts.get(name)
      if (!host) return true
      const bound = isOpen(host) ? 1 : name === IDENTITY_HOST ? limits.identities : limits.perHost
      return host.until <= now() && host.active < bound
    },
    enter(name) {
      hostOf(name).active += 1
    },
    leave(name) {
      const host = hostOf(name)
      host.active -= 1
      if (isForgettable(host, now())) hosts.delete(name)
    },
    bringForward: (byMs) => {
      for (const host of hosts.values()) host.until -= byMs
    },
    waitMs: (name) => Math.max(0, (hosts.get(name)?.until ?? 0) - now()),
    noteAnswer(name, { status, headers }) {
      const host = hostOf(name)
      if (status === 429) {
        const left = remainingRequests(headers, now())
        const orderedMs = retryAfterMs(headers, now()) ?? left?.resetMs ?? DEFAULT_RATE_LIMIT_MS
        return leaveAlone(host, orderedMs * (1 + random() / 10))
      }
      host.failures = 0
      const left = remainingRequests(headers, now())
      if (left && left.remaining < RESERVED_REQUESTS) leaveAlone(host, left.resetMs)
    },
    noteFailure(name) {
      const host = hostOf(name)
      host.failures += 1
      if (!isOpen(host)) return
      const failures = host.failures - limits.failuresToOpen
      const bounds = { firstMs: limits.firstBackoffMs, longestMs: limits.longestBackoffMs }
      leaveAlone(host, jittered(backoffMs({ ...bounds, failures }), random))
    },
  }
}

function isForgettable(host: Host, now: number): boolean {
  return host.active === 0 && host.failures === 0 && host.until <= now
}

function dropIdle(hosts: Map<string, Host>, now: number): void {
  for (const [name, host] of hosts) {
    if (host.active === 0 && host.until <= now) hosts.delete(name)
  }
}
