// Whether a post can appear in an account's timeline, by which accounts, and what prevents it.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import { HIDDEN } from '../../../data/graph/types.ts'
import { createItemsByUri } from '../../../data/store/read/timelines/items-by-uri.ts'
import { newestReposts } from '../../../data/store/records/reactions.ts'
import { postItem, repostItem, rowIdOf } from '../../../data/store/timelines/item-ids.ts'
import type { PostCheck } from '../../../http/operator/explored.ts'
import { type ExploreContext, personOf, type Subject } from './context.ts'
import { originOf, showItem, type VisibleItem } from './read-item.ts'
import { verdictOn } from './verdict.ts'

type PostView = {
  /**
   * Checks in words, in the order an operator would make them; `isMet` is undefined for mere
   * information.
   */
  checks: PostCheck[]
  /**
   * Items that could be in the timeline: the post itself, and each repost by a followed account.
   */
  items: VisibleItem[]
}

/** How many reposts are searched for some by followed accounts. */
const MAX_REPOSTS = 2_000
const MAX_PRESENTED = 10
const RING_READ = 100_000

type Check = PostCheck

export function createPostView(context: ExploreContext) {
  const { db, graph, actors } = context
  const itemsByUri = createItemsByUri(context)

  /** Includes the reader's own reposts, as these are in the timeline too. */
  function repostsFor(owner: number, post: number) {
    const isHeard = (uid: number) => uid === owner || graph.has(owner, uid)
    return newestReposts(db, post, MAX_REPOSTS)
      .filter(({ uid }) => isHeard(uid) && (actors.flagsOf(uid) & HIDDEN) === 0)
      .slice(0, MAX_PRESENTED)
  }

  return (owner: Subject, { reader, uri }: { reader: Reader; uri: string }): PostView => {
    const [found] = itemsByUri([{ post: uri, repost: undefined }])
    if (!found || found.item === 0) return { checks: [unknownCheck(found?.isUnknown)], items: [] }
    const post = rowIdOf(found.item)
    const reposted = repostsFor(owner.uid, post)
    const reposts = reposted.map(({ id }) => repostItem(id))
    const state = context.hydrator.feed([postItem(post), ...reposts], reader)
    const author = state.postRefs.get(post)?.uid ?? 0
    const { handle } = personOf(context, state, author)
    const isFollowed = author === owner.uid || graph.has(owner.uid, author)
    const entries = context.timelines.read(owner.uid, undefined, RING_READ)?.entries ?? []
    const ring = new Set(entries.map(({ item }) => item))
    const items = [...(isFollowed ? [postItem(post)] : []), ...reposts].map((item) => {
      const origin = originOf(state, item)
      return showItem(
        context,
        state,
        origin,
        verdictOn(context, owner.uid, origin, { state, ring }),
      )
    })
    const checks = [
      { text: 'The post is here.', isMet: true },
      activeCheck(handle, (actors.flagsOf(author) & HIDDEN) === 0),
      followCheck(handle, author === owner.uid, isFollowed),
      repostCheck(reposted, owner.uid),
      ...takenCheck(items),
    ]
    return { checks, items }
  }
}

function unknownCheck(isUnknown: boolean | undefined): Check {
  const text = isUnknown
    ? 'The post is not here: it never arrived on the stream, or its author is outside the index scope.'
    : 'This is not a post, or it was deleted.'
  return { text, isMet: false }
}

function activeCheck(handle: string, isActive: boolean): Check {
  const text = isActive ? `@${handle} is active.` : `@${handle} is deactivated or taken down.`
  return { text, isMet: isActive }
}

function followCheck(handle: string, isOwn: boolean, isFollowed: boolean): Check {
  if (isOwn) return { text: 'It is the reader’s own.', isMet: true }
  const text = isFollowed
    ? `The reader follows @${handle}.`
    : `The reader does not follow @${handle}.`
  return { text, isMet: isFollowed }
}

function repostCheck(reposts: readonly { uid: number }[], reader: number): Check {
  if (reposts.some(({ uid }) => uid === reader)) {
    return { text: 'The reader reposted it.', isMet: true }
  }
  const count = reposts.length
  const text =
    count === 0
      ? 'No account that the reader follows reposted it.'
      : `Reposted by ${count === MAX_PRESENTED ? 'ten or more' : count} of the reader’s follows.`
  return { text, isMet: count > 0 ? true : undefined }
}

function takenCheck(items: readonly VisibleItem[]): Check[] {
  if (items.length === 0) return []
  const isTaken = items.some(({ verdict }) => verdict.against.length === 0)
  const text = isTaken
    ? 'No rule removes it from the timeline.'
    : 'A rule removes it from the timeline; see below.'
  return [{ text, isMet: isTaken }]
}
