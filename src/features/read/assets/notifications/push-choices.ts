// Which notifications are pushed, by reason: the server keeps it, for all of the member's devices. The list shows the
// others, too.

import { ask, tell } from '../page/api.ts'
import { el } from '../page/dom.ts'
import { attempt, toast } from '../page/toast.ts'
import { t } from '../page/words.ts'
import { phrase } from '../settings/words.ts'

/** Names of app.bsky.notification.defs#preferences, in the order in which they are offered. */
const REASONS = [
  'reply',
  'mention',
  'quote',
  'like',
  'repost',
  'follow',
  'likeViaRepost',
  'repostViaRepost',
  'subscribedPost',
  'starterpackJoined',
  'verified',
  'unverified',
] as const
type Reason = (typeof REASONS)[number]
type Preferences = Partial<Record<Reason, { push: boolean; [field: string]: unknown }>>

export function pushChoices(): HTMLElement {
  const list = el('div', {})
  const node = el('fieldset', { hidden: true }, el('legend', {}, phrase('pushed')), list)
  void ask<{ preferences: Preferences }>('app.bsky.notification.getPreferences').then(
    ({ preferences }) => {
      list.append(
        ...REASONS.filter((reason) => preferences[reason]).map((reason) =>
          choice(reason, preferences),
        ),
      )
      node.hidden = false
    },
    () => node.remove(),
  )
  return node
}

function choice(reason: Reason, preferences: Preferences): HTMLElement {
  const box = el('input', {
    type: 'checkbox',
    name: reason,
    checked: preferences[reason]!.push,
    onchange: () => void put(),
  })
  async function put(): Promise<void> {
    const wanted = box.checked
    box.disabled = true
    const isDone = await attempt(async () => {
      const preference = { ...preferences[reason]!, push: wanted }
      await tell('app.bsky.notification.putPreferencesV2', { [reason]: preference })
      preferences[reason] = preference
      toast(t('saved'))
    })
    box.disabled = false
    if (!isDone) box.checked = !wanted
  }
  return el('label', { class: 'row' }, box, ' ', phrase(`push-${reason}`))
}
