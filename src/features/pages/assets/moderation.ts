// Moderation on the explore page: hidden subjects and banned accounts with buttons to undo each, a form for
// new decisions, and the log.

import { byId, dateAndTime, element } from './dom.ts'
import { sendAsOperator } from './operator.ts'

type ActRequest = { subject: string; act: Act; tag?: string }
type Act = 'hide' | 'show' | 'ban' | 'allow' | 'tag' | 'untag'
type About = { about?: string }
type Lists = {
  takedowns: ({ subject: string; at: string } & About)[]
  bans: ({ did: string; at: string } & About)[]
  tags: ({ subject: string; tag: string; at: string } & About)[]
  log: ({
    at: string
    act: Act
    subject: string
    by: string
    reason: string
    tag: string
  } & About)[]
}
type Answer = { subject: string; changed: boolean; message?: string; hint?: string }

const PRESENTED_ENTRIES = 50
const DONE: Record<Act, string> = {
  hide: 'hidden',
  show: 'shown again',
  ban: 'banned',
  allow: 'allowed again',
  tag: 'tagged',
  untag: 'without the tag',
}

export async function showModeration(): Promise<void> {
  const { takedowns, bans, tags, log } = await ask<Lists>('GET')
  const held = [
    ...takedowns.map((takedown) =>
      row(takedown, { subject: takedown.subject, act: 'show' }, 'Show again'),
    ),
    ...bans.map((ban) => row(ban, { subject: ban.did, act: 'allow' }, 'Allow again')),
    ...tags.map((tag) => {
      return row(tag, { subject: tag.subject, tag: tag.tag, act: 'untag' }, `Remove ${tag.tag}`)
    }),
  ]
  const nothing = element('p', { class: 'empty' }, 'No hidden content, tags or bans.')
  const decided = log
    .slice(0, PRESENTED_ENTRIES)
    .map(({ at, act, by, subject, reason, tag, about }) =>
      element(
        'li',
        {},
        `${dateAndTime(at)} · ${DONE[act]}${tag ? ` ${tag}` : ''} by ${by}${reason ? `: ${reason}` : ''}`,
        element('br'),
        ...subjectWords(subject, about),
      ),
    )
  byId('moderation').replaceChildren(
    held.length > 0 ? element('ul', { class: 'held' }, ...held) : nothing,
    ...(decided.length > 0
      ? [element('h3', {}, 'Decided'), element('ol', { class: 'held' }, ...decided)]
      : []),
  )
}

export async function decide(form: FormData, act: string): Promise<void> {
  const [subject, reason] = [String(form.get('subject')).trim(), String(form.get('reason'))]
  await send({ act: act as Act, subject }, reason)
}

async function send(request: ActRequest, reason = ''): Promise<void> {
  const answer = await ask<Answer>('POST', { ...request, reason, by: 'the explore page' })
  const words = answer.changed ? `is ${DONE[request.act]} now` : 'was so already'
  byId('moderation-done').textContent = `${answer.subject} ${words}.`
  await showModeration()
}

function subjectWords(subject: string, about: string | undefined): (HTMLElement | string)[] {
  return [element('code', {}, subject), about ? ` (${about})` : '']
}

function row(
  { at, about }: { at: string } & About,
  request: ActRequest,
  words: string,
): HTMLElement {
  const button = element('button', { type: 'button', class: 'quiet' }, words)
  button.addEventListener('click', () => {
    button.disabled = true
    send(request).catch((error: Error) => {
      byId('moderation-done').textContent = error.message
      button.disabled = false
    })
  })
  return element(
    'li',
    {},
    ...subjectWords(request.subject, about),
    ` since ${dateAndTime(at)} `,
    button,
  )
}

function ask<T>(method: 'GET' | 'POST', body?: object): Promise<T> {
  return sendAsOperator<T>(method, 'moderation', body)
}
