// A member's notification preferences: app.bsky.notification.defs#preferences, as JSON of the values set.
// Missing or unknown values take the lexicon's defaults, as in the reference.

import { asObject } from '../../../base/util/json-object.ts'
import { type NotificationReason, reasonMask } from './notification-reasons.ts'

type Preference = { list: boolean; push: boolean }
type FilterablePreference = Preference & { include: 'all' | 'follows' }

export type NotificationPreferences = Record<FilterableName, FilterablePreference> &
  Record<PlainName, Preference> & { chat: typeof CHAT }

/** Deprecated: the lexicon requires this value whatever was set. */
const CHAT = { include: 'all', push: true } as const

const FILTERABLE = {
  follow: 'follow',
  like: 'like',
  likeViaRepost: 'like-via-repost',
  mention: 'mention',
  quote: 'quote',
  reply: 'reply',
  repost: 'repost',
  repostViaRepost: 'repost-via-repost',
} as const satisfies Record<string, NotificationReason>

const PLAIN = {
  starterpackJoined: 'starterpack-joined',
  subscribedPost: 'subscribed-post',
  unverified: 'unverified',
  verified: 'verified',
} as const satisfies Record<string, NotificationReason>

type ReasonMasks = { listed: number; followsOnly: number }

type FilterableName = keyof typeof FILTERABLE
type PlainName = keyof typeof PLAIN

const filterableNames = Object.keys(FILTERABLE) as FilterableName[]
const plainNames = Object.keys(PLAIN) as PlainName[]

/** @param json - as stored; null if none were set */
export function readPreferences(json: string | null): NotificationPreferences {
  const stored: unknown = json === null ? {} : JSON.parse(json)
  return completePreferences(asObject(stored) ?? {})
}

/** The known preferences of a request, with their values. */
export function knownPreferences(sent: Record<string, unknown>): Record<string, unknown> {
  const complete: Record<string, unknown> = completePreferences(sent)
  return Object.fromEntries(
    Object.keys(complete)
      .filter((name) => sent[name] !== undefined)
      .map((name) => [name, complete[name]]),
  )
}

/** Returns the JSON to store after applying `patch` to the stored preferences. */
export function patchedPreferences(json: string | null, patch: Record<string, unknown>): string {
  return JSON.stringify(completePreferences({ ...readPreferences(json), ...patch }))
}

/** Bit masks of reasons: the listed ones, and the listed ones limited to follows. */
export function listedReasons(preferences: NotificationPreferences): ReasonMasks {
  return masksOf(preferences, 'list')
}

function masksOf(preferences: NotificationPreferences, by: keyof Preference): ReasonMasks {
  const filterable = filterableNames.map((name) => [FILTERABLE[name], preferences[name]] as const)
  const plain = plainNames.map((name) => [PLAIN[name], preferences[name]] as const)
  const listed = [...filterable, ...plain].filter(([, preference]) => preference[by])
  const followsOnly = filterable.filter(([, { include }]) => include === 'follows')
  return {
    listed: reasonMask(listed.map(([reason]) => reason)),
    followsOnly: reasonMask(followsOnly.map(([reason]) => reason)),
  }
}

/** The same for pushed reasons. */
export function pushedReasons(preferences: NotificationPreferences): ReasonMasks {
  return masksOf(preferences, 'push')
}

/** What is missing takes its default, and what is unknown is left out. */
export function completePreferences(stored: Record<string, unknown>): NotificationPreferences {
  const entries = [
    ...filterableNames.map((name) => [name, filterable(asObject(stored[name]) ?? {})] as const),
    ...plainNames.map((name) => [name, plain(asObject(stored[name]) ?? {})] as const),
  ]
  return { chat: CHAT, ...Object.fromEntries(entries) } as NotificationPreferences
}

function filterable(item: Record<string, unknown>): FilterablePreference {
  return { include: item['include'] === 'follows' ? 'follows' : 'all', ...plain(item) }
}

function plain({ list, push }: Record<string, unknown>): Preference {
  return { list: list !== false, push: push !== false }
}
