// Which host brought which commit, where several are read at once: the first counts, repeats are recognised by
// the commit's CID before their blocks are read, and what a host did not bring is counted once a commit is so
// old that it has been forgotten. Bounded: the latest commits of all hosts together.

/**
 * `first`: before the others; `repeated`: after another; `missed`: brought by others only, while
 * this host was connected all the time.
 */
type Outcome = 'first' | 'repeated' | 'missed'

export type Arrivals = {
  /** @returns whether it was brought before; then that this host brought it is noted */
  isKnown(host: string, commit: string): boolean
  /** It was believed. */
  add(host: string, commit: string): void
  setConnected(host: string, isConnected: boolean): void
}

/** Some minutes of the whole network. */
const MOST = 100_000
/** Bits of a small integer. */
const MOST_HOSTS = 30

type Host = { bit: number; connectedAt: number | undefined }

/** @param onCount - called for each */
export function createArrivals(
  names: readonly string[],
  onCount: (host: string, outcome: Outcome) => void,
  most: number = MOST,
): Arrivals {
  const hosts = new Map<string, Host>(
    names.slice(0, MOST_HOSTS).map((name, i) => [name, { bit: 1 << i, connectedAt: undefined }]),
  )
  const receivedBy = new Map<string, number>()
  const order: (string | undefined)[] = new Array(most)
  let count = 0

  function forget(commit: string, number: number): void {
    const bits = receivedBy.get(commit) ?? 0
    receivedBy.delete(commit)
    for (const [name, host] of hosts) {
      const wasThere = host.connectedAt !== undefined && host.connectedAt <= number
      if (wasThere && (bits & host.bit) === 0) onCount(name, 'missed')
    }
  }

  return {
    isKnown(name, commit) {
      const bits = receivedBy.get(commit)
      const host = hosts.get(name)
      if (bits === undefined || !host) return false
      if ((bits & host.bit) === 0) onCount(name, 'repeated')
      receivedBy.set(commit, bits | host.bit)
      return true
    },
    add(name, commit) {
      const host = hosts.get(name)
      if (!host || receivedBy.has(commit)) return
      const oldest = order[count % most]
      if (oldest !== undefined) forget(oldest, count - most)
      order[count++ % most] = commit
      receivedBy.set(commit, host.bit)
      onCount(name, 'first')
    },
    setConnected(name, isConnected) {
      const host = hosts.get(name)
      if (!host) return
      if (!isConnected) host.connectedAt = undefined
      else host.connectedAt ??= count
    },
  }
}
