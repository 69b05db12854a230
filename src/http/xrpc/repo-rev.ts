// `atproto-repo-rev`: up to which commit of the viewer's repository an answer knows it. The viewer's PDS
// adds to the answer what they wrote after it: by an older rev than the body's it adds what is there
// already, by a newer one it leaves out what is not. So body and rev must be of one moment (up-to-date.ts).
// And a rev in a row may be ahead of the timelines in memory by a moment, which is waited for: only by a
// member who has just written, since what was published once stays so. The row is asked again after a commit only.

import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { awaitPublished, settledCommits } from '../../data/shared-memory/publishing.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'

/** `commits`: settled when it was read. */
type Known = { rev: string; commits: number | undefined }

/** Of the account's latest commit that is in rows and in memory; undefined where there is none. */
type PublishedRev = (did: string | undefined) => string | undefined

type Parts = {
  accounts: Pick<Accounts, 'revOf'>
  actors: Pick<ActorReader, 'uidOf'>
  invalidations: SharedArrayBuffer | undefined
}

const MAX_WAIT_MS = 50
const MAX_REMEMBERED = 10_000

export function createPublishedRev({ accounts, actors, invalidations }: Parts): PublishedRev {
  const ints = invalidations && new Int32Array(invalidations)
  const published = new LruMap<number, Known>(MAX_REMEMBERED)
  return (viewer: string | undefined): string | undefined => {
    const uid = viewer === undefined ? 0 : actors.uidOf(viewer)
    if (uid === 0) return undefined
    const commits = ints && settledCommits(ints)
    const known = published.get(uid)
    if (known && commits !== undefined && known.commits === commits) return known.rev
    const rev = accounts.revOf(uid)
    if (rev === undefined) return undefined
    // The older one then: what memory does not have yet is added by the PDS.
    if (rev !== known?.rev && ints && !awaitPublished(ints, MAX_WAIT_MS)) return known?.rev
    published.set(uid, { rev, commits })
    return rev
  }
}
