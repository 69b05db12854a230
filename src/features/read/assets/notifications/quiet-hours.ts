// The hours in which none of the member's devices receives a push (docs/PUSH.md), by the clock of this browser.

import { ask, tell } from '../page/api.ts'
import { button, el } from '../page/dom.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'
import { phrase } from '../settings/words.ts'

type Hours = { from?: string; until?: string; timeZone?: string }

const NSID = 'io.slipstream.notification.'
const SUGGESTED = { from: '22:00', until: '07:00' }

export function quietHours(): HTMLElement {
  const from = el('input', { type: 'time', id: 'quiet-from', required: true })
  const until = el('input', { type: 'time', id: 'quiet-until', required: true })
  const state = el('p', { class: 'aside', role: 'status' })
  const show = (hours: Hours) => {
    from.value = hours.from ?? SUGGESTED.from
    until.value = hours.until ?? SUGGESTED.until
    state.textContent =
      hours.from === undefined
        ? phrase('quietNone')
        : `${hours.from} – ${hours.until}, ${hours.timeZone}`
  }
  const put = (hours: Hours) =>
    void attempt(async () => {
      show(await tell<Hours>(`${NSID}putQuietHours`, hours))
      toast(t('saved'))
    })
  const form = el(
    'form',
    {
      class: 'row wrap',
      onsubmit: (event: Event) => {
        event.preventDefault()
        const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
        put({ from: from.value, until: until.value, timeZone })
      },
    },
    el('label', { for: 'quiet-from' }, phrase('quietFrom')),
    from,
    el('label', { for: 'quiet-until' }, phrase('quietUntil')),
    until,
    el('button', { type: 'submit' }, t('save')),
    button(t('remove'), () => put({}), { class: 'quiet' }),
  )
  void ask<Hours>(`${NSID}getQuietHours`).then(show, () => show({}))
  return el(
    'section',
    {},
    el('h2', {}, phrase('quiet')),
    el('p', {}, phrase('quietText')),
    form,
    state,
  )
}
