// How many unseen notifications a member’s list shows, so that no badge leads to an empty list: the newest are
// counted if the list shows them, those below, of which no client tells the number, if their accounts are shown.

import type { Hydrator } from '../hydrate/hydrator-types.ts'
import type { Reader } from '../hydrate/reader.ts'
import { isNotificationVisible } from './notification-view.ts'
import { viewerBlocks, viewerMutes } from './rules.ts'

/** Clients say "30+" from there on. */
const MAX_EXACT = 100

/** @param unseen - newest first */
export function unreadCount(
  hydrator: Pick<Hydrator, 'notifications' | 'profiles'>,
  unseen: readonly { id: number; author: number }[],
  reader: Reader,
): number {
  const newest = unseen.slice(0, MAX_EXACT).map(({ id }) => id)
  const state = hydrator.notifications(newest, reader)
  const visible = newest.filter((id) => isNotificationVisible(state, id))
  const below = unseen.slice(MAX_EXACT).map(({ author }) => author)
  const accounts = hydrator.profiles([...new Set(below)], reader)
  const further = below.filter(
    (author) =>
      !viewerBlocks(accounts, author) &&
      !viewerMutes(accounts, author) &&
      !accounts.actors.get(author)?.hiddenAs,
  )
  return visible.length + further.length
}
