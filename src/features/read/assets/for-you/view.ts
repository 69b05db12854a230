// For You: posts by people who liked what the reader liked. Each says why it is there on request; what the reader
// wants less of is gone at once, here and on the server.

import type { AppBskyFeedDefs } from '@atproto/api'
import { ask, tell } from '../page/api.ts'
import { button, el, link } from '../page/dom.ts'
import { endless } from '../page/endless.ts'
import { attempt, toast } from '../page/toast.ts'
import type { View } from '../page/view.ts'
import { t } from '../page/words.ts'
import { handleOf } from '../people/people.ts'
import { type Item, isLeftOut, postCard } from '../posts/post.ts'
import type { FeedPage } from '../timeline/timeline.ts'
import { postOf } from '../timeline/tuner.ts'
import { phrase, reasonWords } from './words.ts'

const PAGE = 30
const LESS = 'app.bsky.feed.defs#requestLess'
const NOT_THIS_AUTHOR = 'io.slipstream.feed.defs#notThisAuthor'

type Card = { did: string; node: HTMLElement }

/** @param feed - its at-URI */
export function forYouView(feed: string): View {
  const cards: Card[] = []

  function cardOf(item: Item): HTMLElement {
    const { post, feedContext, reason, reply } = item
    const node = el('li', {}, postCard(post, { reason, parent: postOf(reply?.parent) }))
    const context = feedContext?.slice(0, 300)
    node.append(
      el(
        'div',
        { class: 'row wrap' },
        ...why(context, post.uri),
        button(phrase('less'), () => void less(post, node), { class: 'quiet' }),
        button(phrase('notAuthor'), () => void notThisAuthor(post), { class: 'quiet' }),
      ),
    )
    cards.push({ did: post.author.did, node })
    return node
  }

  async function less(post: AppBskyFeedDefs.PostView, node: HTMLElement): Promise<void> {
    if (await notified(feed, post, LESS)) {
      node.remove()
      toast(phrase('lessDone'))
    }
  }

  async function notThisAuthor(post: AppBskyFeedDefs.PostView): Promise<void> {
    if (!(await notified(feed, post, NOT_THIS_AUTHOR))) return
    for (const { did, node } of cards) if (did === post.author.did) node.remove()
    toast(phrase('notAuthorDone', { name: handleOf(post.author) }))
  }

  const { node, first } = endless(el('ol', { class: 'feed' }), async (cursor) => {
    const page = await ask<FeedPage>('app.bsky.feed.getFeed', { feed, limit: PAGE, cursor })
    const visible = page.feed.filter(({ post }) => !isLeftOut(post) && !post.viewer?.threadMuted)
    return { nodes: visible.map(cardOf), cursor: page.cursor }
  })
  return { title: t('forYou'), node, first }
}

function notified(
  feed: string,
  { uri }: AppBskyFeedDefs.PostView,
  event: string,
): Promise<boolean> {
  const interactions = [{ item: uri, event }]
  return attempt(() => tell('app.bsky.feed.sendInteractions', { feed, interactions }))
}

/**
 * The reason, hidden until it is asked for.
 * @param context - undefined if the feed gives none
 */
function why(context: string | undefined, uri: string): HTMLElement[] {
  const more = link(`/read/why?${new URLSearchParams({ uri })}`, {}, phrase('inTimeline'))
  const words = el('p', { class: 'aside', hidden: true })
  words.append(...(context ? [reasonWords(context), ' '] : []), more)
  const ask = button(
    phrase('why'),
    () => {
      words.hidden = !words.hidden
      ask.setAttribute('aria-expanded', String(!words.hidden))
    },
    { class: 'quiet', 'aria-expanded': 'false' },
  )
  return [ask, words]
}
