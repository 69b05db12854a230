// Which jobs are done at a mirror of repositories because the account's own server is away, and for which accounts.
// What a mirror is asked, and when it is believed, is a feature's.

import { LruMap } from '../../base/util/lru.ts'
import { shapeOf } from '../../data/store/fetching/job-kinds.ts'
import type { Job } from '../../data/store/fetching/jobs.ts'
import type { Hosts } from '../../sources/pds/hosts.ts'
import type { PdsClient } from '../../sources/pds/pds-client.ts'
import type { PdsError } from '../../sources/pds/pds-error.ts'
import type { WaitingJob } from './job-window.ts'

export type RepoMirrors = {
  /** In order of preference. */
  origins: readonly string[]
  /** A client that reads these as mirrors, and all other servers by `pds`. */
  clientOver(pds: PdsClient, running: { signal: AbortSignal; now: () => number }): PdsClient
}

export type Mirrors = {
  /** The first mirror that may be asked now; undefined if none may, or the job is not for one. */
  insteadOf(host: string, job: Job): string | undefined
  /** The same if this failure shows that the account's own server is away. */
  after(waiting: WaitingJob, error: PdsError): string | undefined
  /** This job is done by this host. @returns whether it is a mirror */
  note(waiting: WaitingJob): boolean
  /** The mirror that was read for this account last, if lately. */
  readFor(uid: number): string | undefined
}

const MAX_ACCOUNTS = 10_000

export function createMirrors(
  mirrors: readonly string[],
  hosts: Pick<Hosts, 'hasCapacity' | 'accountWaitMs'>,
): Mirrors {
  const readFor = new LruMap<number, string>(MAX_ACCOUNTS)

  function insteadOf(host: string, { kind }: Job): string | undefined {
    const { isComparison, isOfFewPosts } = shapeOf(kind)
    if (mirrors.includes(host) || isComparison || isOfFewPosts) return undefined
    return mirrors.find((mirror) => hosts.hasCapacity(mirror))
  }

  return {
    insteadOf,
    after({ host, job, target }, { reason }) {
      const isFailing = reason === 'rate-limited' && hosts.accountWaitMs(host, target.did) > 0
      return reason === 'unreachable' || isFailing ? insteadOf(host, job) : undefined
    },
    note({ host, target }) {
      const isMirror = mirrors.includes(host)
      if (isMirror) readFor.set(target.uid, host)
      return isMirror
    },
    readFor: (uid) => readFor.get(uid),
  }
}
