// Rules for each server: concurrent jobs, pauses, and circuit breaking. A host that answers 429, or whose
// RateLimit-Remaining runs out, is left alone until the time it named. A failure counts against its account
// first (failing-accounts.ts), since one broken repository says nothing of others. If several accounts in a row
// fail, the host gets one probe at a time, of other accounts, and longer and longer pauses once many have.

import { backoffMs, jittered } from '../../base/util/backoff.ts'
import { HOUR_MS, SECOND_MS } from '../../base/util/durations.ts'
import { remainingRequests, retryAfterMs } from '../identity/rate-limit-headers.ts'
import { createFailingAccounts } from './failing-accounts.ts'

export type HostLimits = {
  /** Concurrent jobs on one host; a job has one request open at a time. */
  perHost: number
  /** Concurrent identity lookups: at the directory and the hosts of handles. */
  identities: number
  /** Failures in a row that open the circuit: of one account, or of so many accounts the host's. */
  failuresToOpen: number
  firstBackoffMs: number
  longestBackoffMs: number
}

export type Hosts = {
  /** Whether one more job may start on this host now. */
  hasCapacity(host: string): boolean
  enter(host: string): void
  leave(host: string): void
  /** The clock was set back by `byMs` milliseconds. */
  bringForward(byMs: number): void
  /** Milliseconds until the host may be asked again, about this account if given; 0: now. */
  waitMs(host: string, account?: string): number
  /** Milliseconds until it may be asked about this account, as far as that is the account's fault. */
  accountWaitMs(host: string, account: string): number
  noteAnswer(host: string, answer: { status: number; headers: Headers }, account?: string): void
  /** Without an account, the failure is the host's own. */
  noteFailure(host: string, account?: string): void
}

type Host = {
  active: number
  until: number
  /** Its own, in a row. */
  failures: number
  /** Accounts that failed since it last answered. */
  failing: Set<string>
}

/** Represents the directory and all other servers used for identity lookups. */
export const IDENTITY_HOST = 'identity'

/** Requests left in reserve when a server counts down our quota: others may share our address. */
const RESERVED_REQUESTS = 8
const LONGEST_ORDERED_WAIT_MS = HOUR_MS
const DEFAULT_RATE_LIMIT_MS = 30_000
const MAX_HOSTS = 10_000
/** So many accounts may fail a second apart, in case others are sound; then pauses grow. */
const ACCOUNTS_PROBED = 32
const PROBE_EVERY_MS = SECOND_MS
const MAX_FAILING = 1_000

export function createHosts(options: {
  limits: HostLimits
  now: () => number
  random: () => number
}): Hosts {
  const { limits, now, random } = options
  const hosts = new Map<string, Host>()
  const accounts = createFailingAccounts(options)

  function hostOf(name: string): Host {
    const known = hosts.get(name)
    if (known) return known
    if (hosts.size >= MAX_HOSTS) dropIdle(hosts, now())
    const host = { active: 0, until: 0, failures: 0, failing: new Set<string>() }
    hosts.set(name, host)
    return host
  }

  function leaveAlone(host: Host, durationMs: number): void {
    host.until = Math.max(host.until, now() + Math.min(durationMs, LONGEST_ORDERED_WAIT_MS))
  }

  const untilFree = (name: string) => Math.max(0, (hosts.get(name)?.until ?? 0) - now())

  return {
    hasCapacity(name) {
      const host = hosts.get(name)
      if (!host) return true
      const bound = isOpen(host, limits)
        ? 1
        : name === IDENTITY_HOST
          ? limits.identities
          : limits.perHost
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
      accounts.bringForward(byMs)
    },
    waitMs: (name, account) =>
      Math.max(untilFree(name), account === undefined ? 0 : accounts.waitMs(name, account)),
    accountWaitMs: accounts.waitMs,
    noteAnswer(name, { status, headers }, account) {
      const host = hostOf(name)
      if (status === 429) {
        const left = remainingRequests(headers, now())
        const orderedMs = retryAfterMs(headers, now()) ?? left?.resetMs ?? DEFAULT_RATE_LIMIT_MS
        return leaveAlone(host, orderedMs * (1 + random() / 10))
      }
      host.failures = 0
      host.failing.clear()
      if (account !== undefined) accounts.noteAnswer(name, account)
      const left = remainingRequests(headers, now())
      if (left && left.remaining < RESERVED_REQUESTS) leaveAlone(host, left.resetMs)
    },
    noteFailure(name, account) {
      const host = hostOf(name)
      leaveAlone(host, pauseAfter(host, { account, limits, random }))
      if (account !== undefined) accounts.noteFailure(name, account, isOpen(host, limits))
    },
  }
}

function isOpen({ failures, failing }: Host, { failuresToOpen }: HostLimits): boolean {
  return failures >= failuresToOpen || failing.size >= failuresToOpen
}

/** Counts a failure, of an account or its own. @returns how long to leave the host alone */
function pauseAfter(
  host: Host,
  failed: { account: string | undefined; limits: HostLimits; random: () => number },
): number {
  const { account, limits, random } = failed
  const isKnown = account !== undefined && host.failing.has(account)
  if (account === undefined) host.failures += 1
  else if (host.failing.size < MAX_FAILING) host.failing.add(account)
  if (isKnown || !isOpen(host, limits)) return 0
  const { failuresToOpen, firstBackoffMs: firstMs, longestBackoffMs: longestMs } = limits
  const beyond = host.failing.size - failuresToOpen - ACCOUNTS_PROBED
  if (account !== undefined && beyond < 0) return Math.min(PROBE_EVERY_MS, firstMs)
  const failures = account === undefined ? host.failures - failuresToOpen : beyond
  return jittered(backoffMs({ firstMs, longestMs, failures }), random)
}

function isForgettable({ active, failures, failing, until }: Host, now: number): boolean {
  return active === 0 && failures === 0 && failing.size === 0 && until <= now
}

function dropIdle(hosts: Map<string, Host>, now: number): void {
  for (const [name, host] of hosts) {
    if (host.active === 0 && host.until <= now) hosts.delete(name)
  }
}
