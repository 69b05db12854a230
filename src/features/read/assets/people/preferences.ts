// The member's preferences, which their PDS keeps (app.bsky.actor.getPreferences), as the official moderation
// library takes them; and what that library decides.

import type {
  AppBskyActorDefs,
  AppBskyFeedDefs,
  AppBskyLabelerDefs,
  ModerationDecision,
  ModerationOpts,
} from '@atproto/api'
import { inOwnLanguage } from '../../../sign-in/assets/language.ts'
import { ask, me, query, useLabelers, write } from '../page/api.ts'
import { isKey, t } from '../page/words.ts'
import { interpretLabelValueDefinition, moderatePost, moderateProfile } from './moderation.js'

type Preference = { $type: string; [field: string]: unknown }
type LabelPref = {
  labelerDid?: string
  label: string
  visibility: 'show' | 'hide' | 'warn' | 'ignore'
}

let preferences: Preference[] = []
let options: ModerationOpts | undefined

/** Without an answer, everything is moderated as for an account that never chose anything. */
export async function loadPreferences(): Promise<void> {
  const found = await query<{ preferences: Preference[] }>(
    'app.bsky.actor.getPreferences',
    {},
  ).catch(() => undefined)
  preferences = found?.preferences ?? preferences
  const labelers = labelersIn(preferences)
  useLabelers(labelers)
  options = optionsOf(preferences, labelers, {})
  if (labelers.length > 0) options = optionsOf(preferences, labelers, await definitionsOf(labelers))
}

export function mutedWords(): AppBskyActorDefs.MutedWord[] {
  const pref = preferences.find(({ $type }) => $type === 'app.bsky.actor.defs#mutedWordsPref')
  return (pref?.['items'] as AppBskyActorDefs.MutedWord[] | undefined) ?? []
}

export async function setMutedWords(items: readonly AppBskyActorDefs.MutedWord[]): Promise<void> {
  const { preferences: now } = await query<{ preferences: Preference[] }>(
    'app.bsky.actor.getPreferences',
    {},
  )
  const $type = 'app.bsky.actor.defs#mutedWordsPref'
  const others = now.filter((preference) => preference.$type !== $type)
  await write('app.bsky.actor.putPreferences', { preferences: [...others, { $type, items }] })
  await loadPreferences()
}

function labelersIn(prefs: readonly Preference[]): string[] {
  const pref = prefs.find(({ $type }) => $type === 'app.bsky.actor.defs#labelersPref')
  return ((pref?.['labelers'] as { did: string }[] | undefined) ?? []).map(({ did }) => did)
}

async function definitionsOf(dids: string[]): Promise<NonNullable<ModerationOpts['labelDefs']>> {
  const found = await ask<{ views: AppBskyLabelerDefs.LabelerViewDetailed[] }>(
    'app.bsky.labeler.getServices',
    {
      dids,
      detailed: true,
    },
  ).catch(() => ({ views: [] }))
  return Object.fromEntries(
    found.views.map(({ creator, policies }) => [
      creator.did,
      (policies?.labelValueDefinitions ?? []).map((labelValueDefinition) =>
        interpretLabelValueDefinition(labelValueDefinition, creator.did),
      ),
    ]),
  )
}

function optionsOf(
  prefs: readonly Preference[],
  labelers: readonly string[],
  labelDefs: NonNullable<ModerationOpts['labelDefs']>,
): ModerationOpts {
  const run = (name: string) => prefs.find(({ $type }) => $type === `app.bsky.actor.defs#${name}`)
  const chosen = prefs.filter(
    ({ $type }) => $type === 'app.bsky.actor.defs#contentLabelPref',
  ) as unknown as LabelPref[]
  const labelsOf = (did: string | undefined) =>
    Object.fromEntries(
      chosen
        .filter(({ labelerDid }) => labelerDid === did)
        .map(
          ({ label, visibility }) =>
            [label, visibility === 'show' ? 'ignore' : visibility] as const,
        ),
    )
  return {
    userDid: me(),
    labelDefs,
    prefs: {
      adultContentEnabled: run('adultContentPref')?.['enabled'] === true,
      labels: {
        porn: 'hide',
        sexual: 'warn',
        nudity: 'ignore',
        'graphic-media': 'warn',
        ...labelsOf(undefined),
      },
      labelers: labelers.map((did) => ({ did, labels: labelsOf(did) })),
      mutedWords: mutedWords(),
      hiddenPosts: (run('hiddenPostsPref')?.['items'] as string[] | undefined) ?? [],
    },
  }
}

function current(): ModerationOpts {
  options ??= optionsOf(preferences, [], {})
  return options
}

export function judgedPost(post: AppBskyFeedDefs.PostView): ModerationDecision {
  return moderatePost(post, current())
}

export function judgedProfile(
  profile: Omit<AppBskyActorDefs.ProfileViewBasic, '$type'>,
): ModerationDecision {
  return moderateProfile(profile, current())
}

type Causes = ReturnType<ModerationDecision['ui']>['blurs']

/** Why something is covered, in a few words. */
export function causeWords(causes: Causes): string {
  const [cause] = causes
  if (!cause) return ''
  if (cause.type === 'mute-word') return t('mutedWord')
  if (cause.type === 'muted') return t('mutedAccount')
  if (cause.type === 'blocking' || cause.type === 'blocked-by' || cause.type === 'block-other') {
    return t('blockedAccount')
  }
  if (cause.type !== 'label') return isKey(cause.type) ? t(cause.type) : cause.type
  const { val } = cause.label
  const own = `label-${val}`
  const { locales = [] } = cause.labelDef
  const name = inOwnLanguage(locales)?.name || (isKey(own) ? t(own) : val)
  return t('label', { label: name })
}
