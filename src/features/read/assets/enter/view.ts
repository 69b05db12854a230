// The page for somebody who is not signed in, and the one for an account that is not a member yet.

import { type Reason, reasonOf } from '../../../sign-in/assets/reasons.ts'
import { type ScopeName, setup, signIn } from '../../../sign-in/assets/session.ts'
import { tell } from '../page/api.ts'
import { button, byId, el, link } from '../page/dom.ts'
import { problemWords } from '../page/problems.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { phrase, reasonWords } from './words.ts'

const NAME = 'slipstream-name'
const MOST_SKEW_MS = 30_000

/** @param name - begins signing in at once, or only fills in the form where the page may not begin */
export function enterView(failed: Reason | undefined, name?: string): View {
  const input = el('input', {
    id: 'name',
    name: 'name',
    required: true,
    autocomplete: 'username',
    autocapitalize: 'none',
    spellcheck: 'false',
    dir: 'ltr',
    placeholder: 'alice.example.org',
    value: name ?? localStorage.getItem(NAME) ?? '',
  })
  const problem = el('p', { class: 'problem', role: 'alert' })
  const submit = el('button', { type: 'submit', class: 'strong' }, t('signIn'))
  const say = (reason: Reason) => {
    problem.replaceChildren(reasonWords(reason))
    // A server that knows only wide permissions: asked for in plain words, never silently.
    if (reason === 'too-narrow')
      problem.append(
        ' ',
        phrase('generic'),
        ' ',
        button(phrase('genericButton'), () => void go('everything')),
      )
  }
  async function go(requested: ScopeName): Promise<void> {
    problem.replaceChildren()
    submit.disabled = true
    localStorage.setItem(NAME, input.value.trim())
    try {
      await signIn(input.value, requested)
    } catch (error) {
      const reason = reasonOf(error)
      say(reason === 'failed' && (await isClockWrong()) ? 'clock' : reason)
    }
    submit.disabled = false
  }
  const form = el(
    'form',
    {
      class: 'enter',
      onsubmit: (event: Event) => {
        event.preventDefault()
        void go('use')
      },
    },
    el('label', { for: 'name' }, phrase('handleOrDid')),
    el('div', { class: 'row wrap' }, input, submit),
    problem,
  )
  const { hostname, members } = setup()
  const who = { open: 'forOpen', invite: 'forInvited', listed: 'forListed' } as const
  if (failed) say(failed)
  if (name !== undefined && mayStart()) void go('use')
  return {
    title: phrase('welcome'),
    node: el(
      'div',
      { class: 'hero' },
      el('p', {}, phrase('welcomeText', { host: hostname })),
      form,
      el('p', { class: 'aside' }, phrase(who[members])),
      el('p', { class: 'aside' }, link('/read?link', { class: 'outside' }, phrase('readingLink'))),
    ),
  }
}

/** What is signed in this browser names its time, and servers take it for a minute or so. */
async function isClockWrong(): Promise<boolean> {
  const answer = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(
    () => undefined,
  )
  const now = Date.parse(answer?.headers.get('date') ?? '')
  return Math.abs(Date.now() - now) > MOST_SKEW_MS
}

/** Whether a name in the address may begin signing in: not where another site led to, with a name of its choice. */
export function mayStart(): boolean {
  return byId('main').dataset['mayStart'] !== undefined
}

/** @param joined - called once the account is a member */
export function joinView(refusal: unknown, joined: () => void): View {
  const problem = el('p', { class: 'problem', role: 'alert' }, problemWords(refusal))
  if (setup().members !== 'invite' || (refusal as { error?: string }).error !== 'NotAMember') {
    const explained = setup().members === 'listed' ? el('p', {}, phrase('forListed')) : undefined
    return {
      title: t('join'),
      node: el('div', { class: 'hero' }, problem, explained, button(t('again'), joined)),
    }
  }
  const input = el('input', {
    id: 'code',
    name: 'code',
    required: true,
    maxlength: 100,
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    placeholder: 'xxxxx-xxxxx-xxxxx',
  })
  const submit = el('button', { type: 'submit', class: 'strong' }, t('join'))
  const form = el(
    'form',
    {
      class: 'enter',
      onsubmit: async (event: Event) => {
        event.preventDefault()
        submit.disabled = true
        try {
          await tell('io.slipstream.server.redeemInvite', { code: input.value.trim() })
          joined()
        } catch (error) {
          problem.textContent = problemWords(error)
        }
        submit.disabled = false
      },
    },
    el('label', { for: 'code' }, phrase('inviteCode')),
    el('div', { class: 'row wrap' }, input, submit),
    problem,
  )
  return {
    title: t('join'),
    node: el('div', { class: 'hero' }, el('p', {}, phrase('forInvited')), form),
  }
}
