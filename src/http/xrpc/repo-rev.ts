// `atproto-repo-rev`: up to which commit of the viewer's repository an answer knows it. The viewer's PDS
// adds to the answer what they wrote after it: by an older rev than the body's it adds what is there
// already, by a newer one it leaves out what is not. So body and rev must be of one moment (up-to-date.ts).
// And a rev in a row may be ahead of the timelines in memory by a moment, which is waited for: only by a
// member who has just written, since what was published once stays so.

import { LruMap } from '../../base/util/lru.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { awaitPublished } from '../../data/shared-memory/publishing.ts'
import type { Accounts } from '../../data/store/read/accounts.ts'

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
  const published = new LruMap<number, string>(MAX_REMEMBERED)
  return (viewer: string | undefined): string | undefined => {
    const uid = viewer === undefined ? 0 : actors.uidOf(viewer)
    const rev = uid === 0 ? undefined : accounts.revOf(uid)
    if (rev === undefined || published.get(uid) === rev) return rev
    // The older one then: what memory does not have yet is added by the PDS.
    if (ints && !awaitPublished(ints, MAX_WAIT_MS)) return published.get(uid)
    published.set(uid, rev)
    return rev
  }
}
