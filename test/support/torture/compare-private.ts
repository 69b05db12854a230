// A member's private state: exactly the mutes and bookmarks that were answered with 200.

import type { Actions } from './actions.ts'
import { compareAccounts, type Dependencies, isListed, type Profile, readAll } from './checking.ts'
import { didOf } from './oracle.ts'

type Bookmark = { subject: { uri: string }; item: { $type: string } }

export async function compareMutes(parts: Dependencies, actions: Actions): Promise<void> {
  const { oracle, viewer } = parts
  const muted = [...actions.muted(viewer)]
  const views = await readAll<Profile>(parts, 'app.bsky.graph.getMutes', {}, 'mutes')
  compareAccounts(parts, 'getMutes', views, {
    must: new Set(muted.filter((did) => isListed(parts, did))),
    may: new Set(muted.filter((did) => !oracle.isHidden(did))),
  })
}

export async function compareBookmarks(parts: Dependencies, actions: Actions): Promise<void> {
  const { oracle, viewer, check } = parts
  const expected = actions.bookmarked(viewer)
  const method = 'app.bsky.bookmark.getBookmarks'
  const stored = await readAll<Bookmark>(parts, method, {}, 'bookmarks')
  const byUri = new Map(stored.map(({ subject, item }) => [subject.uri, item]))
  const got = byUri.size
  check(stored.length === got, {
    what: 'bookmarks twice',
    about: viewer,
    expected: got,
    got: stored,
  })
  for (const uri of byUri.keys()) {
    check(expected.has(uri), { what: 'bookmark', about: uri, expected: 'absent', got: 'kept' })
  }
  for (const uri of expected) {
    const item = byUri.get(uri)
    const isThere = oracle.post(uri) !== undefined && !oracle.isHidden(didOf(uri))
    const name = item?.$type.split('#')[1] ?? 'missing'
    const isVisible = name === 'postView' || name === 'blockedPost'
    const want = isThere ? 'shown' : 'not found'
    check(item !== undefined && isVisible === isThere, {
      what: 'bookmark',
      about: uri,
      expected: want,
      got: name,
    })
  }
}
