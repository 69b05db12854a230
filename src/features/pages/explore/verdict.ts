// Explains why an item is or is not in an account's timeline: how it would get there, what the lossy draw
// says, and which rules exclude it.

import type { FeedState } from '../../../answers/hydrate/types.ts'
import { type FeedItemRules, feedItemRules } from '../../../answers/views/rules.ts'
import { keepShare } from '../../../data/graph/lossiness.ts'
import { CELEBRITY } from '../../../data/graph/types.ts'
import { isRepostItem } from '../../../data/store/timelines/item-ids.ts'
import type { ExploreContext } from './context.ts'

export type Verdict = {
  /** How this originator's items get into the timeline. */
  way: 'own' | 'fan-out' | 'merged' | 'rows'
  isKept: boolean
  /** The number drawn for this item and reader, which must be below `keepShare`. */
  draw: number
  keepShare: number
  /** Reasons that exclude the item; empty if none do. */
  against: string[]
  /** Remarks that exclude nothing. */
  notes: string[]
}

type Candidate = { item: number; originator: number }

const RULES: Record<keyof FeedItemRules, string> = {
  originatorMuted: 'the reposter is muted',
  originatorBlocked: 'there is a block with the reposter',
  authorMuted: 'its author is muted',
  authorBlocked: 'there is a block with its author',
  originatorRepostMuted: 'this account’s reposts are muted',
  authorQuotepostMuted: 'this author’s quote posts are muted',
  ancestorAuthorBlocked: 'it replies to an account with which there is a block',
}

/** Unless the item is a repost, these repeat the rules on its author. */
const ABOUT_REPOSTERS = ['originatorMuted', 'originatorBlocked']

/**
 * @param state - the reader's, with the item hydrated
 * @param ring - items in the open ring
 */
export function verdictOn(
  context: ExploreContext,
  owner: number,
  { item, originator }: Candidate,
  { state, ring }: { state: FeedState; ring: ReadonlySet<number> },
): Verdict {
  const share = keepShare(context.reasonableLimit, context.graph.followsCount(owner))
  const draw = context.draw(item, owner)
  const isKept = originator === owner || context.isDrawn(owner, item)
  const lost = isKept
    ? []
    : [`the draw was ${draw.toFixed(2)}, and only below ${share.toFixed(2)} is kept`]
  return {
    way: wayOf(context, owner, { item, originator }, ring),
    isKept,
    draw,
    keepShare: share,
    against: [...lost, ...againstByRules(state, item)],
    notes: notesOn(state, item),
  }
}

function wayOf(
  { actors }: ExploreContext,
  owner: number,
  { item, originator }: Candidate,
  ring: ReadonlySet<number>,
): Verdict['way'] {
  if (originator === owner) return 'own'
  if ((actors.flagsOf(originator) & CELEBRITY) !== 0) return 'merged'
  return ring.has(item) ? 'fan-out' : 'rows'
}

function againstByRules(state: FeedState, item: number): string[] {
  const rules = feedItemRules(state, item)
  const names = Object.keys(RULES) as (keyof FeedItemRules)[]
  const isNotified = (name: keyof FeedItemRules) =>
    rules[name] && (isRepostItem(item) || !ABOUT_REPOSTERS.includes(name))
  return names.filter(isNotified).map((name) => RULES[name])
}

function notesOn(state: FeedState, item: number): string[] {
  const { post = 0 } = state.items.get(item) ?? {}
  const found = state.posts.get(post)
  if (!found)
    return state.takenDown.has(post) ? ['a labeler took it down'] : ['its record is not here']
  const notes: string[] = []
  if (found.violatesThreadgate) notes.push('it violates the threadgate, so clients may hide it')
  if (found.violatesPostgate) notes.push('it quotes a post that forbids quotes')
  if (found.parent !== undefined && !isRepostItem(item)) {
    notes.push('it is a reply; the client decides which replies to show')
  }
  return notes
}
