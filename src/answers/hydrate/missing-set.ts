// What an answer needs and our index lacks: records by at-URI, and accounts without a profile or a name.

import { INVALID_HANDLE } from '../../base/atproto/handle.ts'
import type { FeedState, ProfileState } from './types.ts'

export class MissingSet {
  readonly uris = new Set<string>()
  readonly dids = new Set<string>()

  get isEmpty(): boolean {
    return this.uris.size + this.dids.size === 0
  }

  add({ uris = [], dids = [] }: { uris?: readonly string[]; dids?: readonly string[] }): void {
    for (const uri of uris) this.uris.add(uri)
    for (const did of dids) this.dids.add(did)
  }

  /** Posts that a page points at, and the accounts that it shows. */
  addFeed(state: FeedState): void {
    if (!state.viewer) return
    const { postRefs, actors } = state
    for (const { isStub, uid, uri } of postRefs.values()) {
      if (isStub && !actors.get(uid)?.hiddenAs) this.uris.add(uri)
    }
    this.add({ uris: embeddedNotStored(state) })
    this.addProfiles(state)
  }

  /** Accounts never seen with a profile, and those whose handle nobody has verified yet. */
  addProfiles({ viewer, actors }: ProfileState): void {
    if (!viewer) return
    for (const { did, hiddenAs, handle, profile } of actors.values()) {
      if (!hiddenAs && (!profile || handle === INVALID_HANDLE)) this.dids.add(did)
    }
  }
}

/** Lists, feeds and the like that posts here embed. */
function embeddedNotStored({ posts, lists, records }: FeedState): string[] {
  const uris: string[] = []
  for (const { embedded } of posts.values()) {
    if (!embedded || embedded.collection === 'app.bsky.feed.post') continue
    if (!lists.has(embedded.id ?? 0) && !records.has(embedded.uri)) uris.push(embedded.uri)
  }
  return uris
}
