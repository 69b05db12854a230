// One post as a card: who, when, what, what it carries, and what one can do with it.

import type { AppBskyFeedDefs } from '@atproto/api'
import { me } from '../page/api.ts'
import { covered } from '../page/cover.ts'
import { el, link } from '../page/dom.ts'
import { ago, dateAndTime } from '../page/locale.ts'
import { t } from '../page/words.ts'
import { byline, face, knownWords, nameOf } from '../people/people.ts'
import { causeWords, judgedPost } from '../people/preferences.ts'
import { actionsOf } from '../writing/actions.ts'
import { embedNode, postPath } from './embeds.ts'
import { richText } from './rich-text.ts'

export type Post = AppBskyFeedDefs.PostView
export type Item = AppBskyFeedDefs.FeedViewPost

type Options = {
  /** A line above: who reposted it. */
  reason?: Item['reason']
  /** The post it replies to, if it is shown beside it. */
  parent?: Post | undefined
  /** The one that the page is about. */
  isFocus?: boolean
}

export function postCard(
  post: Post,
  { reason, parent, isFocus = false }: Options = {},
): HTMLElement {
  const { author, indexedAt, uri } = post
  const isOwn = author.did === me()
  const when = link(
    postPath(uri),
    { class: 'when', title: dateAndTime(Date.parse(indexedAt)) },
    el('time', { datetime: indexedAt, dir: 'auto' }, ago(indexedAt)),
  )
  const card = el(
    'article',
    { class: isFocus ? 'post focus' : 'post', 'data-uri': uri, 'aria-label': nameOf(author) },
    repostLine(reason),
    el('header', { class: 'post-head' }, face(author), byline(author), when),
    parent &&
      el(
        'p',
        { class: 'aside' },
        link(postPath(parent.uri), { dir: 'auto' }, t('replyTo', { name: nameOf(parent.author) })),
      ),
    body(post, isOwn),
    likers(post),
  )
  card.append(actionsOf(post, card))
  return card
}

function repostLine(reason: Options['reason']): HTMLElement | undefined {
  if (reason?.$type !== 'app.bsky.feed.defs#reasonRepost') return undefined
  const { by } = reason as AppBskyFeedDefs.ReasonRepost
  return el('p', { class: 'aside', dir: 'auto' }, t('repostedBy', { name: nameOf(by) }))
}

/** The text and what it carries, each covered if the moderation library says so. */
function body(post: Post, isOwn: boolean): HTMLElement {
  const {
    text = '',
    facets,
    langs,
  } = post.record as { text?: string; facets?: []; langs?: string[] }
  const decision = judgedPost(post)
  const [view, media] = [decision.ui('contentView'), decision.ui('contentMedia')]
  const embed = embedNode(post.embed, isOwn)
  const presentedEmbed =
    embed instanceof HTMLElement && media.blur
      ? covered(embed, causeWords(media.blurs), !media.noOverride)
      : embed
  const lang =
    typeof langs?.[0] === 'string' && /^[\w-]{2,20}$/.test(langs[0]) ? langs[0] : undefined
  const complete = el(
    'div',
    { class: 'post-body' },
    text !== '' && el('p', { class: 'text', dir: 'auto', lang }, ...richText(text, facets)),
    presentedEmbed,
  )
  return view.blur ? covered(complete, causeWords(view.blurs), !view.noOverride) : complete
}

function likers({ viewer }: Post): HTMLElement | undefined {
  const known = (viewer as { knownLikers?: Parameters<typeof knownWords>[0] } | undefined)
    ?.knownLikers
  const words = knownWords(known, 'knownLikers')
  return words === undefined ? undefined : el('p', { class: 'aside', dir: 'auto' }, words)
}

/** Whether a list leaves the post out, as the moderation library and the member's muted words say. */
export function isLeftOut(post: Post): boolean {
  return judgedPost(post).ui('contentList').filter
}
