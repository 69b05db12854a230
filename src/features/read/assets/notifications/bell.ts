// Whether an account's posts cause notifications, and its replies too: the server keeps it, for all of the member's devices.

import { tell } from '../page/api.ts'
import { el } from '../page/dom.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'

type Subscription = { post: boolean; reply: boolean }
const CHOICES = ['off', 'post', 'reply'] as const
type Choice = (typeof CHOICES)[number]

const SUBSCRIPTIONS: Record<Choice, Subscription> = {
  off: { post: false, reply: false },
  post: { post: true, reply: false },
  reply: { post: true, reply: true },
}

/** @param now - undefined if there is none */
export function bell(did: string, name: string, now: Subscription | undefined): HTMLElement {
  let stored = choiceOf(now)
  const words = { off: t('bellOff'), post: t('bellPosts'), reply: t('bellReplies') }
  const select = el(
    'select',
    { class: 'bell', 'aria-label': t('bell', { name }), onchange: () => void put() },
    ...CHOICES.map((item) => el('option', { value: item, selected: item === stored }, words[item])),
  )
  async function put(): Promise<void> {
    const wanted = select.value as Choice
    select.disabled = true
    const isDone = await attempt(async () => {
      const activitySubscription = SUBSCRIPTIONS[wanted]
      const input = { subject: did, activitySubscription }
      await tell('app.bsky.notification.putActivitySubscription', input)
      toast(t('saved'))
    })
    if (isDone) stored = wanted
    select.value = stored
    select.disabled = false
  }
  return select
}

function choiceOf(now: Subscription | undefined): Choice {
  if (now?.reply) return 'reply'
  return now?.post ? 'post' : 'off'
}
