// Moderation preferences as clients hold them: adult content × one setting for all labels × one of a labeler × the
// labelers subscribed to, and muted words and hidden posts.

import type { AppBskyActorDefs, LabelPreference, ModerationPrefs } from '@atproto/api'
import { labelValues } from './labels.ts'

type Words = AppBskyActorDefs.MutedWord[]

const SETTINGS: (LabelPreference | undefined)[] = [undefined, 'ignore', 'warn', 'hide']
/** Shares no factor with any dimension of the grid, so that each of their values meets the others'. */
const EACH = 7
const YEAR_MS = 365 * 24 * 3_600_000

/** @param muted - a word and a tag that posts have, and posts to hide */
export function moderationPreferences(
  labelers: readonly [string, string],
  muted: { word: string; tag: string; hiddenPosts: string[] },
): { name: string; prefs: ModerationPrefs }[] {
  const all = [true, false].flatMap((adult) =>
    SETTINGS.flatMap((general) =>
      SETTINGS.flatMap((own) =>
        [labelers, labelers.slice(0, 1), []].map((subscribed) => ({
          name: `adult ${adult}, labels ${general}, labeler ${own}, subscribed ${subscribed.length}`,
          prefs: {
            adultContentEnabled: adult,
            labels: settingsOf(general),
            labelers: subscribed.map((did, i) => ({
              did,
              labels: settingsOf(i ? undefined : own),
            })),
            mutedWords: [],
            hiddenPosts: [],
          },
        })),
      ),
    ),
  )
  const grid = all.filter((_, i) => i % EACH === 0)
  const words = Object.entries(mutedWords(muted)).map(([name, mutedWords]) => ({
    name,
    prefs: { ...grid[0]!.prefs, mutedWords },
  }))
  const { hiddenPosts } = muted
  return [...grid, ...words, { name: 'hidden', prefs: { ...grid[0]!.prefs, hiddenPosts } }]
}

function settingsOf(setting: LabelPreference | undefined): Record<string, LabelPreference> {
  return Object.fromEntries(setting ? labelValues.map((val) => [val, setting]) : [])
}

function mutedWords({ word, tag }: { word: string; tag: string }): Record<string, Words> {
  const until = (ms: number) => new Date(Date.now() + ms).toISOString()
  const muted = { value: word, targets: ['content'], actorTarget: 'all' }
  const tags = { value: tag, targets: ['tag'], actorTarget: 'all' }
  const ofStrangers = { value: word, targets: ['content', 'tag'], actorTarget: 'exclude-following' }
  return {
    'a word': [muted],
    'a tag': [tags],
    'a word of strangers': [ofStrangers],
    'a word until last year': [{ ...muted, expiresAt: until(-YEAR_MS) }],
    'a word until next year': [{ ...muted, expiresAt: until(YEAR_MS) }],
  }
}
