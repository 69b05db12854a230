// Accounts as the pages show them: a face and a name, lists of people, and who of those a member follows stands
// behind something.

import type { AppBskyActorDefs } from '@atproto/api'
import { button, el, isWebAddress, link, present } from '../page/dom.ts'
import { listed } from '../page/locale.ts'
import { t } from '../page/words.ts'
import { judgedProfile } from './preferences.ts'

/** Any of the three views of an account. */
export type Person = Omit<AppBskyActorDefs.ProfileViewBasic, '$type'>

export function nameOf({
  displayName,
  handle,
  did,
}: Pick<Person, 'displayName' | 'handle' | 'did'>): string {
  return displayName?.trim() || handleOf({ handle, did })
}

/** An unverified handle is never shown. */
export function handleOf({ handle, did }: Pick<Person, 'handle' | 'did'>): string {
  return handle === 'handle.invalid' ? did : `@${handle}`
}

export function profilePath({ did, handle }: Pick<Person, 'did' | 'handle'>): string {
  return `/read/profile/${encodeURIComponent(handle === 'handle.invalid' ? did : handle)}`
}

export function face(person: Person, size = 40): HTMLElement {
  const isHidden = judgedProfile(person).ui('avatar').blur
  if (!person.avatar || isHidden || !isWebAddress(person.avatar)) {
    return el(
      'span',
      { class: 'face', 'aria-hidden': 'true' },
      [...nameOf(person).replace(/^@/, '')][0] ?? '?',
    )
  }
  return el('img', {
    class: 'face',
    src: person.avatar,
    alt: '',
    width: size,
    height: size,
    loading: 'lazy',
    decoding: 'async',
  })
}

/** Name and handle, leading to the profile. */
export function byline(person: Person): HTMLElement {
  return link(
    profilePath(person),
    { class: 'who', dir: 'auto' },
    el('b', {}, el('bdi', {}, nameOf(person))),
    ' ',
    nameOf(person) === handleOf(person)
      ? undefined
      : el('span', {}, el('bdi', {}, handleOf(person))),
  )
}

export function peopleList(people: readonly Person[]): HTMLElement {
  return el('ul', { class: 'people' }, ...people.map(personRow))
}

function personRow(person: Person & { description?: string }): HTMLElement {
  return el(
    'li',
    { class: 'row' },
    face(person),
    el('div', {}, byline(person), description(person)),
  )
}

function description({ description }: { description?: string }): HTMLElement | undefined {
  return description
    ? el('p', { class: 'aside', dir: 'auto' }, description.slice(0, 200))
    : undefined
}

const NAMED = 2

type Known = { count: number; followers?: readonly Person[]; actors?: readonly Person[] }

/** "Followed by Ann, Ben and 3 others", or nothing if nobody is known. */
export function knownWords(
  known: Known | undefined,
  key: 'followedBy' | 'knownLikers',
): string | undefined {
  const people = known?.followers ?? known?.actors ?? []
  if (!known || people.length === 0) return undefined
  // Never "and 1 others".
  const names = people.slice(0, known.count === NAMED + 1 ? NAMED + 1 : NAMED).map(nameOf)
  const others = known.count - names.length
  const parts = others > 0 ? [...names, t('others', { count: others })] : names
  return t(key, { names: listed(parts) })
}

/** With faces, and everybody on request. */
export function proofLine(
  known: Known | undefined,
  key: 'followedBy' | 'knownLikers',
  showAll?: (put: (people: readonly Person[]) => void) => Promise<void>,
): HTMLElement {
  const words = knownWords(known, key)
  if (!words) return el('p', { class: 'proof' }, key === 'followedBy' ? t('noKnown') : '')
  const position = el('div', { class: 'proof' })
  const faces = (known?.followers ?? known?.actors ?? [])
    .slice(0, 3)
    .map((follower) => face(follower, 20))
  const all =
    showAll &&
    button(t('showAll'), () => void showAll((people) => position.append(peopleList(people))), {
      class: 'quiet',
    })
  position.append(
    ...present([el('span', { class: 'faces' }, ...faces), el('span', { dir: 'auto' }, words), all]),
  )
  return position
}
