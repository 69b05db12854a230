// Mirrors of repositories (REPO_MIRRORS), for accounts whose own servers are away: any host that answers
// com.atproto.sync.getRepo. It is no authority, so nothing but the repository's file is asked of it, which counts
// only if the account's current key signed it. What it does not have says nothing of the account.

import { LruMap } from '../../base/util/lru.ts'
import type { RepoMirrors } from '../../ingest/backfill/mirrors.ts'
import type { PdsClient, RepoTarget } from '../../sources/pds/pds-client.ts'
import { PdsError } from '../../sources/pds/pds-error.ts'
import { collectionPages } from '../../sources/pds/repo-file.ts'
import { commitOf } from './commit-of.ts'
import { readCommit } from './firehose/blocks.ts'
import type { AccountKeys } from './firehose/keys.ts'

type MirrorOptions = {
  origins: readonly string[]
  keys: AccountKeys
  signal: AbortSignal
  now: () => number
}

type File = { car: Buffer; fetchedAt: number }
type Repo = Pick<RepoTarget, 'did' | 'pds'>

/** An account's collections are read one after the other: each from the same file. */
const FRESH_MS = 60_000
const MAX_FILES = 2
const MAX_STORED_BYTES = 8 * 1024 * 1024
/** What a mirror says of itself, not of the account. */
const PASSED_ON = new Set(['stopped', 'rate-limited', 'too-early', 'unreachable'])

/** @returns undefined if there are none */
export function repoMirrors(
  origins: readonly string[],
  keys: AccountKeys,
): RepoMirrors | undefined {
  if (origins.length === 0) return undefined
  return {
    origins,
    clientOver: (pds, running) => createMirroredClient(pds, { origins, keys, ...running }),
  }
}

/** Reads repositories at mirrors with the same methods; others as before. */
function createMirroredClient(pds: PdsClient, options: MirrorOptions): PdsClient {
  const { origins, keys, signal, now } = options
  const files = new LruMap<string, File>(MAX_FILES)
  const isMirror = ({ pds: origin }: Repo) => origins.includes(origin)

  async function withFile<T>(repo: Repo, use: (car: Buffer) => Promise<T>): Promise<T> {
    const stored = files.get(repo.did)
    if (stored && now() - stored.fetchedAt < FRESH_MS) return use(stored.car)
    files.delete(repo.did)
    return pds.withRepo(repo, async (car) => {
      await prove(car, repo)
      if (car.length <= MAX_STORED_BYTES) files.set(repo.did, { car, fetchedAt: now() })
      return use(car)
    })
  }

  async function prove(car: Buffer, { did, pds: origin }: Repo): Promise<void> {
    const blocks = readCommit(car)
    if (blocks && (await commitOf(did, blocks, keys))) return
    throw new PdsError('unreachable', `${origin} sent a repository that ${did} did not sign`)
  }

  /** A mirror may be behind, or not have the account: neither is a fact about it. */
  async function atMirror<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof PdsError) || PASSED_ON.has(error.reason)) throw error
      throw new PdsError('unreachable', error.message, { cause: error })
    }
  }

  async function getRecord(repo: Repo, { collection, rkey }: { collection: string; rkey: string }) {
    const wanted = { did: repo.did, collection, fetchedAt: now(), isAsOfRev: true }
    return withFile(repo, async (car) => {
      for await (const { records, fetchedAt } of collectionPages(car, wanted, signal)) {
        const record = records.find((record) => record.rkey === rkey)
        if (record) return { ...record, asOfMs: fetchedAt }
      }
      throw new PdsError('unreachable', `${repo.pds} does not have ${collection}/${rkey}`)
    })
  }

  const unlisted = () => new PdsError('not-found', 'a mirror’s repositories are read as files')
  return {
    withRepo: (repo, use) =>
      isMirror(repo) ? atMirror(withFile(repo, use)) : pds.withRepo(repo, use),
    getRecord: (repo, key) =>
      isMirror(repo) ? atMirror(getRecord(repo, key)) : pds.getRecord(repo, key),
    listRecords: async (repo, page) => {
      if (isMirror(repo)) throw unlisted()
      return pds.listRecords(repo, page)
    },
    describeRepo: async (repo) => {
      if (isMirror(repo)) throw unlisted()
      return pds.describeRepo(repo)
    },
    getLatestRev: async (repo) => (isMirror(repo) ? undefined : pds.getLatestRev(repo)),
  }
}
