// How far a newcomer's timeline is filled, and whether it is lossy (io.slipstream.feed.getTimelineState).

import { ask } from '../page/api.ts'
import { button, el, link } from '../page/dom.ts'
import { t } from '../page/words.ts'

export type State = {
  follows: number
  arrived: number
  isFilled: boolean
  /** Thousandths of the posts that the timeline takes. */
  share: number
  limit: number
}

const LOOK_EVERY_MS = 1_500
const NOTIFIED = 'slipstream-lossy-told'

export function readState(): Promise<State | undefined> {
  return ask<State>('io.slipstream.feed.getTimelineState').catch(() => undefined)
}

/** Tells what is there already until all is, while the timeline below fills. */
export function fillingBar(
  state: State,
  refresh: () => Promise<void>,
  signal: AbortSignal,
): HTMLElement {
  const bar = el('progress', { max: 1, value: 0, 'aria-label': t('loading') })
  const words = el('p', { role: 'status' })
  const node = el('div', { class: 'filling' }, words, bar)
  const show = ({ follows, arrived, isFilled }: State) => {
    bar.max = Math.max(1, follows)
    bar.value = isFilled ? bar.max : arrived
    words.textContent = isFilled ? t('filled') : t('filling', { done: arrived, all: follows })
  }
  show(state)
  const timer = setInterval(async () => {
    const now = await readState()
    await refresh().catch(() => {})
    if (!now) return
    show(now)
    if (!now.isFilled) return
    clearInterval(timer)
    setTimeout(() => node.remove(), 4 * LOOK_EVERY_MS)
  }, LOOK_EVERY_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  return node
}

/** Said once on a device for a number of follows; the reason is a press away. */
export function lossyNotice({ follows, share, limit }: State): HTMLElement | undefined {
  if (share >= 1_000) return undefined
  if (localStorage.getItem(NOTIFIED) === String(limit)) return undefined
  const words = t('lossy', { follows, percent: Math.round(share / 10) })
  const more = link('/read/why', {}, t('lossyWhy'))
  const reason = el('p', { hidden: true }, t('lossyReason', { limit }), ' ', more)
  const why = button(
    t('lossyWhy'),
    () => {
      reason.hidden = !reason.hidden
      why.setAttribute('aria-expanded', String(!reason.hidden))
    },
    { class: 'quiet', 'aria-expanded': 'false' },
  )
  const node = el(
    'aside',
    { class: 'notice', 'aria-label': words },
    el(
      'p',
      {},
      words,
      ' ',
      why,
      ' ',
      button(
        t('close'),
        () => {
          localStorage.setItem(NOTIFIED, String(limit))
          node.remove()
        },
        { class: 'quiet' },
      ),
    ),
    reason,
  )
  return node
}
