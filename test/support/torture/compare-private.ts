// A member's private state: exactly the mutes and bookmarks that were answered with 200.

import { compareAccounts, isListed, type Parts, type Profile, readAll } from './checking.ts'
import type { Deeds } from './deeds.ts'
import { didOf } from './oracle.ts'

type Bookmark = { subject: { uri: string }; item: { $type: string } }

export async function compareMutes(parts: Parts, deeds: Deeds): Promise<void> {
  const { oracle, viewer } = parts
  const muted = [...deeds.muted(viewer)]
  const views = await readAll<Profile>(parts, 'app.bsky.graph.getMutes', {}, 'mutes')
  compareAccounts(parts, 'getMutes', views, {
    must: new Set(muted.filter((did) => isListed(parts, did))),
    may: new Set(muted.filter((did) => !oracle.isHidden(did))),
  })
}

export async function compareBookmarks(parts: Parts, deeds: Deeds): Promise<void> {
  const { oracle, viewer, check } = parts
  const expected = deeds.bookmarked(viewer)
  const method = 'app.bsky.bookmark.getBookmarks'
  const kept = await readAll<Bookmark>(parts, method, {}, 'bookmarks')
  const byUri = new Map(kept.map(({ subject, item }) => [subject.uri, item]))
  const got = byUri.size
  check(kept.length === got, { what: 'bookmarks twice', about: viewer, expected: got, got: kept })
  for (const uri of byUri.keys()) {
    check(expected.has(uri), { what: 'bookmark', about: uri, expected: 'absent', got: 'kept' })
  }
  for (const uri of expected) {
    const item = byUri.get(uri)
    const isThere = oracle.post(uri) !== undefined && !oracle.isHidden(didOf(uri))
    const name = item?.$type.split('#')[1] ?? 'missing'
    const isShown = name === 'postView' || name === 'blockedPost'
    const want = isThere ? 'shown' : 'not found'
    check(item !== undefined && isShown === isThere, {
      what: 'bookmark',
      about: uri,
      expected: want,
      got: name,
    })
  }
}
