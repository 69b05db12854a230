// For You: which posts it chooses is for its own tests; here, that each is there and may be seen, none comes twice, and
// a member who follows anybody with something to show is not left with an empty page.

import { type Dependencies, type Post, readAll, repeated } from './checking.ts'
import { didOf } from './oracle.ts'

type Item = { post: Post; feedContext?: string }

const FEED = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'

export async function compareForYou(parts: Dependencies): Promise<void> {
  const { oracle, viewer, check } = parts
  const method = 'app.bsky.feed.getFeed'
  const items = await readAll<Item>(parts, method, { feed: FEED }, 'feed')
  const uris = items.map(({ post }) => post.uri)
  const what = 'For You'
  // What stands in for it has reposts, too.
  const own = items.filter(({ feedContext }) => feedContext !== undefined)
  for (const about of repeated(own.map(({ post }) => post.uri))) {
    check(false, { what, about, expected: 'once', got: 'twice' })
  }
  for (const uri of uris) {
    const author = didOf(uri)
    const wrong =
      (oracle.post(uri) === undefined && 'no such post') ||
      (oracle.isHidden(author) && 'of an account that is away') ||
      (oracle.isBlocked(viewer, author) && 'of a blocked account') ||
      (oracle.isMuted(viewer, author) && 'of a muted account')
    check(!wrong, { what, about: uri, expected: 'a post to be shown', got: wrong })
  }
  const { followed } = oracle.timeline(viewer)
  const visible = followed.filter((row) => oracle.isVisible(viewer, row) === true)
  const isFair = uris.length > 0 || visible.length === 0
  check(isFair, { what, about: viewer, expected: 'something', got: 'an empty page' })
}
