// Settings: muted words, moving private state in and away, language, signing out.

import { chooseLanguage, language } from '../../../sign-in/assets/language.ts'
import { type Session, setup, signIn, signOut } from '../../../sign-in/assets/session.ts'
import { browserPush, endPush } from '../notifications/push.ts'
import { pushChoices } from '../notifications/push-choices.ts'
import { quietHours } from '../notifications/quiet-hours.ts'
import { button, el } from '../page/dom.ts'
import { forgetLastPage } from '../page/offline.ts'
import { attempt, toast } from '../page/toast.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { mutedWords, setMutedWords } from '../people/preferences.ts'
import { move } from './bring.ts'
import { nameOf, phrase } from './words.ts'

export function settingsView(session: Session, signed: string | null): View {
  const progress = el('div', { role: 'status' })
  const node = el(
    'div',
    { class: 'settings' },
    browserPush(),
    pushChoices(),
    quietHours(),
    words(),
    el(
      'section',
      {},
      el('h2', {}, phrase('bring')),
      el('p', {}, phrase('bringText')),
      el(
        'div',
        { class: 'row wrap' },
        button(phrase('bring'), () => ask(session, 'bring', progress), { id: 'bring' }),
        button(phrase('leave'), () => ask(session, 'leave', progress), {
          class: 'quiet',
          id: 'leave-with',
        }),
      ),
      progress,
    ),
    languages(),
    el(
      'section',
      {},
      button(phrase('signOut'), () => void leave(session), { id: 'sign-out' }),
      el('p', { class: 'aside' }, setup().hostname),
    ),
  )
  if (signed === 'bring' || signed === 'leave') void run(signed, progress)
  return { title: t('settings'), node }
}

/** Asks the PDS for what this needs, unless it has been given; the page then comes back here and goes on. */
function ask(session: Session, direction: 'bring' | 'leave', progress: HTMLElement): void {
  void attempt(async () => {
    const { scope } = await session.getTokenInfo(false)
    const isThere =
      scope.includes('transition:generic') || scope.includes('app.bsky.graph.getMutes')
    const mayWrite =
      scope.includes('transition:generic') || scope.includes('app.bsky.graph.muteActorList')
    if (direction === 'bring' ? isThere : mayWrite) return run(direction, progress)
    await signIn(session.did, direction)
  })
}

async function run(direction: 'bring' | 'leave', position: HTMLElement): Promise<void> {
  history.replaceState(null, '', location.pathname)
  const bar = el('progress', { 'aria-label': phrase(direction) })
  const lines = new Map<string, HTMLElement>()
  const list = el('ul', {})
  position.replaceChildren(bar, list)
  const done = await attempt(async () => {
    const { moved, failed } = await move(direction, (kind, count) => {
      const line = lines.get(kind) ?? el('li', {})
      if (!lines.has(kind)) list.append(line)
      lines.set(kind, line)
      line.textContent = phrase('moving', { what: nameOf(kind), done: count })
    })
    position.append(el('p', { class: 'moved' }, phrase('moved', { count: moved, failed })))
  })
  bar.remove()
  if (!done) position.append(button(t('again'), () => void run(direction, position)))
}

function words(): HTMLElement {
  const list = el('ul', { class: 'row wrap' })
  const input = el('input', { id: 'word', maxlength: 100, dir: 'auto', autocomplete: 'off' })
  const show = () =>
    list.replaceChildren(
      ...mutedWords().map((mutedWord) =>
        el(
          'li',
          {},
          el('bdi', {}, mutedWord.value),
          ' ',
          button(
            t('remove'),
            () =>
              void attempt(async () => {
                await setMutedWords(mutedWords().filter(({ value }) => value !== mutedWord.value))
                show()
              }),
            { class: 'quiet' },
          ),
        ),
      ),
    )
  const add = async () => {
    const value = input.value.trim()
    if (value === '') return
    await setMutedWords([
      ...mutedWords(),
      { id: crypto.randomUUID(), value, targets: ['content', 'tag'], actorTarget: 'all' },
    ])
    input.value = ''
    show()
  }
  const form = el(
    'form',
    {
      class: 'row wrap',
      onsubmit: (event: Event) => {
        event.preventDefault()
        void attempt(add)
      },
    },
    el('label', { for: 'word' }, phrase('addWord')),
    input,
    el('button', { type: 'submit' }, t('mute')),
  )
  show()
  return el('section', {}, el('h2', {}, phrase('mutedWords')), list, form)
}

function languages(): HTMLElement {
  const select = el(
    'select',
    {
      id: 'language',
      onchange: () => {
        chooseLanguage(select.value)
        location.reload()
      },
    },
    ...[
      ['en', 'English'],
      ['de', 'Deutsch'],
      ['ja', '日本語'],
    ].map(([code, name]) =>
      el('option', { value: code, lang: code, selected: code === language() }, name),
    ),
  )
  return el('section', {}, el('label', { for: 'language' }, phrase('language')), ' ', select)
}

async function leave(session: Session): Promise<void> {
  await endPush().catch(() => {})
  void navigator.clearAppBadge?.().catch(() => {})
  await signOut(session)
  forgetLastPage()
  toast(phrase('signedOut'))
  location.assign('/read')
}
