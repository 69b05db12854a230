// `atproto-repo-rev`: the latest commit of the viewer's repository that an answer includes. The viewer's PDS
// adds newer writes to the answer: if the rev is older than the body, it adds records twice; if newer, it
// leaves some out. So body and rev must be of the same moment (up-to-date.ts). A rev in a row may be slightly
// ahead of the timelines in memory; only a member who has just written waits for that, since a published rev
// stays published. The row is read again only after a commit.

import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { awaitPublished, settledCommits } from '../../data/shared-memory/invalidation-ring.ts'
import type { Accounts } from '../../data/store/read/accounts/accounts.ts'

/** `commits`: the number settled when the rev was read. An account of which no commit is known has none. */
type Known = { rev: string | undefined; commits: number | undefined }

/**
 * Rev of the account's latest commit that is both in rows and in memory; undefined if there is
 * none.
 */
type PublishedRev = (did: string | undefined) => string | undefined

type Dependencies = {
  accounts: Pick<Accounts, 'revOf'>
  actors: Pick<ActorReader, 'uidOf'>
  invalidations: SharedArrayBuffer | undefined
}

const MAX_WAIT_MS = 50
const MAX_REMEMBERED = 10_000

export function createPublishedRev({
  accounts,
  actors,
  invalidations,
}: Dependencies): PublishedRev {
  const ints = invalidations && new Int32Array(invalidations)
  const published = new LruMap<number, Known>(MAX_REMEMBERED)
  return (viewer: string | undefined): string | undefined => {
    const uid = viewer === undefined ? 0 : actors.uidOf(viewer)
    if (uid === 0) return undefined
    const commits = ints && settledCommits(ints)
    const known = published.get(uid)
    if (known && commits !== undefined && known.commits === commits) return known.rev
    const rev = accounts.revOf(uid)
    // Returns the older rev then: the PDS adds the records that memory does not have yet.
    const isNew = rev !== undefined && rev !== known?.rev
    if (isNew && ints && !awaitPublished(ints, MAX_WAIT_MS)) return known?.rev
    published.set(uid, { rev, commits })
    return rev
  }
}
