// Which items of a timeline are shown: the rules of Bluesky's own client, which the server leaves to clients.

import type { AppBskyFeedDefs } from '@atproto/api'
import { me } from '../page/api.ts'
import { type Item, isLeftOut, type Post } from '../posts/post.ts'

type Ref = NonNullable<Item['reply']>['parent']

/**
 * Replies are shown if all of the conversation is here and somebody in it is followed; posts in
 * muted threads and those that the moderation library leaves out are not.
 */
export function isVisible({ post, reply, reason }: Item): boolean {
  if (isLeftOut(post) || post.viewer?.threadMuted) return false
  const isReply = (post.record as { reply?: unknown }).reply !== undefined
  if (!isReply) return true
  if (!reply) return false
  if (reason) return true
  const [parent, root] = [postOf(reply.parent), postOf(reply.root)]
  if (!parent || !root) return false
  const authors = [parent.author, root.author, reply.grandparentAuthor].filter(
    (profileViewBasic) => profileViewBasic !== undefined,
  )
  return authors.every(({ did }) => did === post.author.did) || authors.some(isOurs)
}

function isOurs({ did, viewer }: Post['author']): boolean {
  return did === me() || viewer?.following !== undefined
}

export function postOf(ref: Ref | undefined): Post | undefined {
  if (ref?.$type !== 'app.bsky.feed.defs#postView') return undefined
  return ref as AppBskyFeedDefs.PostView
}
