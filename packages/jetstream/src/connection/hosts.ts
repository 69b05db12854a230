// Chooses the next host and the pause before it: the preferred one first, the others after a few failures in
// a row, with exponential, jittered pauses. Also holds what was learnt about each host.

import { backoffMs, jittered } from '../backoff.ts'
import type { ConsumerLimits } from '../limits.ts'
import type { Wire } from '../resume.ts'

/** What was learnt about a host in this process. */
type HostTraits = {
  /** Has no v2, as an attempt showed. */
  isV1Only: boolean
  /** Its seqs are no longer valid: resume by time until it has given a new one. */
  distrustsSeq: boolean
  /** Rejects the long URL that many DIDs make: they are filtered here. */
  refusesDids: boolean
}

export type Hosts = {
  current(): string
  traits(host: string): HostTraits
  isPreferred(): boolean
  /** The connection was good: resets the pauses. */
  succeeded(): void
  /** @returns the pause before the next attempt, in milliseconds. */
  failed(): number
  /** One attempt at the preferred host; if it fails, returns at once to the previous one. */
  tryPreferred(): void
}

export function createHosts(
  names: readonly string[],
  limits: Pick<ConsumerLimits, 'attemptsPerHost' | 'backoffBaseMs' | 'backoffMaxMs'>,
  random: () => number,
): Hosts {
  const traits = new Map<string, HostTraits>()
  let index = 0
  let failuresHere = 0
  let failuresInRow = 0
  let returnTo: number | undefined

  function failed(): number {
    if (returnTo !== undefined) {
      index = returnTo
      returnTo = undefined
      return 0
    }
    failuresHere++
    failuresInRow++
    if (failuresHere >= limits.attemptsPerHost) {
      index = (index + 1) % names.length
      failuresHere = 0
    }
    const bounds = { firstMs: limits.backoffBaseMs, longestMs: limits.backoffMaxMs }
    return jittered(backoffMs({ ...bounds, failures: failuresInRow - 1 }), random)
  }

  return {
    current: () => names[index]!,
    traits: (host) => {
      const known = traits.get(host) ?? { isV1Only: false, distrustsSeq: false, refusesDids: false }
      traits.set(host, known)
      return known
    },
    isPreferred: () => index === 0,
    succeeded: () => {
      failuresHere = 0
      failuresInRow = 0
      returnTo = undefined
    },
    failed,
    tryPreferred: () => {
      returnTo = index
      index = 0
      failuresHere = 0
    },
  }
}

export function wireFor(setting: Wire | 'auto', traits: HostTraits): Wire {
  if (setting !== 'auto') return setting
  return traits.isV1Only ? 'v1' : 'v2'
}

/** Its v1 takes filters after the upgrade. @returns whether this was new. */
export function turnToV1(traits: HostTraits): boolean {
  const isNew = !traits.isV1Only
  traits.isV1Only = true
  return isNew
}
