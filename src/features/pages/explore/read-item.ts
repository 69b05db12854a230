// A feed item in the explore view: author, text, the account that brought it, and why.

import type { FeedState } from '../../../answers/hydrate/types.ts'
import { type ExploreContext, type Person, personOf } from './context.ts'
import type { Verdict } from './verdict.ts'

export type VisibleItem = {
  /** Of the post, even if a repost brought it. */
  uri: string
  author: Person
  /** Beginning of the post's text. */
  text: string
  /** Milliseconds since 1970; the item's position. */
  sortAt: number
  repostedBy: Person | undefined
  verdict: Verdict
}

/** An item's origin, from the hydrated state; `originator` is 0 if its row is gone. */
type ItemOrigin = { item: number; post: number; originator: number; sortAt: number }

/** Limits in visible characters, and in UTF-16 code units. */
const MAX_TEXT = 280
const MAX_TEXT_UNITS = 3_000

export function originOf(state: FeedState, item: number): ItemOrigin {
  const { post = 0, repost } = state.items.get(item) ?? {}
  const foundRepost = repost === undefined ? undefined : state.reposts.get(repost)
  const originator = foundRepost ? foundRepost.uid : (state.postRefs.get(post)?.uid ?? 0)
  return {
    item,
    post,
    originator,
    sortAt: foundRepost?.sortAt ?? state.posts.get(post)?.sortAt ?? 0,
  }
}

export function showItem(
  context: ExploreContext,
  state: FeedState,
  { item, post, originator, sortAt }: ItemOrigin,
  verdict: Verdict,
): VisibleItem {
  const ref = state.postRefs.get(post)
  const isRepost = state.items.get(item)?.repost !== undefined
  return {
    uri: ref?.uri ?? '',
    author: personOf(context, state, ref?.uid ?? 0),
    text: excerpt(state.posts.get(post)?.record.text ?? ''),
    sortAt,
    repostedBy: isRepost ? personOf(context, state, originator) : undefined,
    verdict,
  }
}

function excerpt(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text.slice(0, MAX_TEXT_UNITS))]
  if (characters.length <= MAX_TEXT && text.length <= MAX_TEXT_UNITS) return text
  const visible = characters.slice(0, MAX_TEXT).map(({ segment }) => segment)
  return `${visible.join('')}…`
}
