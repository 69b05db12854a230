// The pages that are one timeline: Following, with what this server knows about it, and a list's posts.

import { ask } from '../page/api.ts'
import { el } from '../page/dom.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { fillingBar, lossyNotice, readState } from './state.ts'
import { type Feed, type FeedPage, timelineOf } from './timeline.ts'

const FOLLOWING: Feed = {
  name: 'following',
  hasGaps: true,
  read: (query) => ask<FeedPage>('app.bsky.feed.getTimeline', query),
}

export function following(): View {
  const timeline = timelineOf(FOLLOWING)
  const about = el('div', { class: 'about-timeline' })
  const stop = new AbortController()
  const first = timeline.first.then(
    () =>
      void tellState(about, () => timeline.refill(), {
        signal: stop.signal,
        isShort: timeline.isShort,
      }),
  )
  return {
    title: t('following'),
    node: el('div', {}, about, timeline.node),
    first,
    more: timeline.more,
    refresh: timeline.refill,
    dispose() {
      stop.abort()
      timeline.dispose()
    },
  }
}

async function tellState(
  position: HTMLElement,
  refresh: () => Promise<void>,
  { signal, isShort }: { signal: AbortSignal; isShort: () => boolean },
): Promise<void> {
  const state = await readState()
  if (!state) return
  const notice = lossyNotice(state)
  if (notice) position.append(notice)
  if (!state.isFilled) position.prepend(fillingBar(state, refresh, signal))
  // It may have been filled while its first page was read.
  else if (isShort()) await refresh().catch(() => {})
}

export function listFeed(uri: string): View {
  const timeline = timelineOf({
    name: uri,
    hasGaps: false,
    read: (query) => ask<FeedPage>('app.bsky.feed.getListFeed', { list: uri, ...query }),
  })
  const name = el('p', { class: 'aside', dir: 'auto' })
  void ask<{ list: { name: string } }>('app.bsky.graph.getList', { list: uri, limit: 1 })
    .then(({ list }) => {
      name.textContent = list.name
      if (name.isConnected) document.title = `${list.name} · Slipstream`
    })
    .catch(() => {})
  return {
    title: t('lists'),
    node: el('div', {}, name, timeline.node),
    first: timeline.first,
    more: timeline.more,
    refresh: timeline.refill,
    dispose: () => timeline.dispose(),
  }
}
