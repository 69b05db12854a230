// The official library's decisions over an answer: each view in it that a client decides about, in each place of a
// screen, under each set of preferences.

import {
  type InterpretedLabelValueDefinition,
  type ModerationCause,
  type ModerationDecision,
  type ModerationOpts,
  type ModerationPrefs,
  type ModerationUI,
  moderateFeedGenerator,
  moderateNotification,
  moderatePost,
  moderateProfile,
  moderateStatus,
  moderateUserList,
} from '@atproto/api'

type View = Record<string, unknown>

const CONTEXTS = [
  'profileList',
  'profileView',
  'avatar',
  'banner',
  'displayName',
  'contentList',
  'contentView',
  'contentMedia',
] as const

/** How the library decides about one kind of view. */
type Decide = (view: never, opts: ModerationOpts) => ModerationDecision

export type Subject = { name: string; decide: Decide; view: View }

export type Client = {
  /** Undefined for a visitor. */
  userDid: string | undefined
  labelDefs: Record<string, InterpretedLabelValueDefinition[]>
}

/** On purpose ours are more: all of them, where the reference takes a sample. */
const EXACT_HERE = ['knownFollowers', 'knownLikers']
const NO_VISITORS = '!no-unauthenticated'

/**
 * The answer without what only one of them shows on purpose.
 * @param isVisitors - then without posts by accounts that hide from visitors: ours leaves them out,
 *   and the reference leaves that to clients
 */
export function comparable(answer: unknown, isVisitors: boolean): unknown {
  const isLeftOut = (value: unknown) => isVisitors && isByHidden(value)
  if (Array.isArray(answer)) {
    return answer.filter((item) => !isLeftOut(item)).map((item) => comparable(item, isVisitors))
  }
  if (typeof answer !== 'object' || answer === null) return answer
  const entries = Object.entries(answer)
    .filter(([name, value]) => !EXACT_HERE.includes(name) && !isLeftOut(value))
    .map(([name, value]) => [name, comparable(value, isVisitors)])
  return Object.fromEntries(entries)
}

/** A post, or an item that shows one, by an account that hides from visitors. */
function isByHidden(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { author, post, value: inner } = value as Record<'author' | 'post' | 'value', unknown>
  const { labels = [] } = (author ?? {}) as { labels?: { val: string }[] }
  if (labels.some(({ val }) => val === NO_VISITORS)) return true
  return isByHidden(post) || (author === undefined && isByHidden(inner))
}

/** All views in the answer that the library decides about, named by their place and subject. */
export function subjectsIn(answer: unknown, position = ''): Subject[] {
  if (Array.isArray(answer)) return answer.flatMap((item) => subjectsIn(item, `${position}[]`))
  if (typeof answer !== 'object' || answer === null) return []
  const view = answer as View
  const inside = Object.entries(view)
    // Records are what authors wrote; clients decide about views.
    .filter(([name]) => name !== 'record' || !('cid' in view))
    .flatMap(([name, value]) => subjectsIn(value, `${position}.${name}`))
  return [
    ...kindsOf(view).map((kind) => ({ ...kind, view, name: nameOf(view, position) })),
    ...inside,
  ]
}

function kindsOf(view: View): { decide: Decide }[] {
  const uri = typeof view['uri'] === 'string' ? view['uri'] : ''
  if ('isRead' in view) return [{ decide: moderateNotification }]
  if (uri.includes('/app.bsky.feed.post/') && 'author' in view && 'record' in view) {
    return [{ decide: moderatePost }]
  }
  if (uri.includes('/app.bsky.feed.generator/') && 'creator' in view) {
    return [{ decide: moderateFeedGenerator }]
  }
  if (uri.includes('/app.bsky.graph.list/') && 'purpose' in view) {
    return [{ decide: moderateUserList }]
  }
  if ('did' in view && 'handle' in view)
    return [{ decide: moderateProfile }, { decide: moderateStatus }]
  return []
}

function nameOf(view: View, position: string): string {
  const author = view['author'] as View | undefined
  return [position, view['reason'], view['uri'] ?? view['did'], author?.['did']].join(' ')
}

/** The decisions about a subject in all contexts, under one set of preferences. */
export function decisionsOf(
  { decide, view }: Subject,
  { userDid, labelDefs }: Client,
  prefs: ModerationPrefs,
): { [context: string]: string } {
  const decision = decide(view as never, { userDid, labelDefs, prefs })
  return Object.fromEntries(CONTEXTS.map((context) => [context, described(decision.ui(context))]))
}

/**
 * What a client shows, and why. The reference's labels are in no order, so neither are causes of the
 * same priority.
 */
function described({ noOverride, filters, blurs, alerts, informs }: ModerationUI): string {
  const lists = { filters, blurs, alerts, informs }
  const texts = Object.entries(lists)
    .filter(([, causes]) => causes.length > 0)
    .map(([name, causes]) => `${name}: ${causes.map(causeOf).toSorted().join(', ')}`)
  return [...(noOverride ? ['no override'] : []), ...texts].join('; ')
}

function causeOf(cause: ModerationCause): string {
  const { type, priority, source, downgraded = false } = cause
  const reported = [type, priority, ...(downgraded ? ['downgraded'] : [])]
  if (source.type === 'list') reported.push(source.list.uri, source.list.name, source.list.purpose)
  if (source.type === 'labeler') reported.push(source.did)
  if (cause.type === 'label') {
    const { label, setting, target, noOverride } = cause
    reported.push(
      label.val,
      label.uri,
      label.src,
      String(label.cid),
      setting,
      target,
      `${noOverride}`,
    )
  }
  if (cause.type === 'mute-word') reported.push(...cause.matches.map(({ word }) => word.value))
  return reported.join(' ')
}
