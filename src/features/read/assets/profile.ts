// A profile: who it is, who of those one follows stands behind it, what one can do, and its posts.

import type { AppBskyActorDefs } from '@atproto/api'
import { bell } from './notifications/bell.ts'
import { ask, me, tell } from './page/api.ts'
import { covered } from './page/cover.ts'
import { button, el, isWebAddress } from './page/dom.ts'
import { endless } from './page/endless.ts'
import { attempt, toast } from './page/toast.ts'
import type { View } from './page/view.ts'
import { t } from './page/words.ts'
import { face, handleOf, nameOf, type Person, proofLine } from './people/people.ts'
import { causeWords, judgedProfile } from './people/preferences.ts'
import { postCard } from './posts/post.ts'
import { richText } from './posts/rich-text.ts'
import type { FeedPage } from './timeline/timeline.ts'
import { isShown, postOf } from './timeline/tuner.ts'
import { blockAccount, muteAccount } from './writing/actions.ts'
import { follow, remove } from './writing/records.ts'

type Profile = AppBskyActorDefs.ProfileViewDetailed

export function profileView(actor: string): View {
  const head = el('div', { class: 'profile' })
  const list = el('ol', { class: 'feed' })
  const { node, first } = endless(list, async (cursor) => {
    if (cursor === undefined)
      head.replaceChildren(profileHead(await ask<Profile>('app.bsky.actor.getProfile', { actor })))
    const page = await ask<FeedPage>('app.bsky.feed.getAuthorFeed', {
      actor,
      cursor,
      limit: 30,
      includePins: true,
      filter: 'posts_and_author_threads',
    })
    const nodes = page.feed
      .filter((item) => isShown(item) || item.reply !== undefined)
      .map((item) =>
        el(
          'li',
          {},
          postCard(item.post, { reason: item.reason, parent: postOf(item.reply?.parent) }),
        ),
      )
    return { nodes, cursor: page.cursor }
  })
  return { title: t('profile'), node: el('div', {}, head, node), first }
}

function profileHead(profile: Profile): HTMLElement {
  const { did, description, banner, viewer } = profile
  const decision = judgedProfile(profile).ui('profileView')
  const bannerImage = banner && isWebAddress(banner) && !judgedProfile(profile).ui('banner').blur
  const text = description
    ? el('p', { class: 'text', dir: 'auto' }, ...richText(description))
    : undefined
  const { postsCount: posts, followersCount: followers, followsCount: follows } = profile
  return el(
    'section',
    { 'aria-label': nameOf(profile) },
    bannerImage && el('img', { class: 'banner', src: banner, alt: '', width: 900, height: 300 }),
    el(
      'div',
      { class: 'row' },
      face(profile, 72),
      el(
        'div',
        {},
        el('h2', { dir: 'auto' }, nameOf(profile)),
        el(
          'p',
          { class: 'aside' },
          el('bdi', {}, handleOf(profile)),
          viewer?.followedBy ? ` · ${t('followsYou')}` : '',
        ),
      ),
    ),
    did === me() ? undefined : controls(profile),
    text && decision.blur ? covered(text, causeWords(decision.blurs), !decision.noOverride) : text,
    posts !== undefined &&
      followers !== undefined &&
      follows !== undefined &&
      el('p', { class: 'aside' }, t('figures', { posts, followers, follows })),
    did === me()
      ? undefined
      : proofLine(viewer?.knownFollowers, 'followedBy', async (put) => {
          await attempt(async () => {
            const { followers } = await ask<{ followers: Person[] }>(
              'app.bsky.graph.getKnownFollowers',
              { actor: did, limit: 100 },
            )
            put(followers)
          })
        }),
  )
}

function controls(profile: Profile): HTMLElement {
  const { did, viewer } = profile
  const name = handleOf(profile)
  let following = viewer?.following
  const followButton = button('', () => void flip(), { class: 'strong' })
  const show = () => {
    followButton.textContent = t(following ? 'unfollow' : 'follow')
    followButton.setAttribute('aria-pressed', String(following !== undefined))
  }
  async function set(isOn: boolean): Promise<void> {
    if (isOn) following = (await follow(did)).uri as typeof following
    else {
      await remove(following!)
      following = undefined
    }
    show()
  }
  async function flip(): Promise<void> {
    followButton.disabled = true
    const isOn = following === undefined
    if (await attempt(() => set(isOn)))
      toast(isOn ? t('followed', { name }) : t('undone'), () => set(!isOn))
    followButton.disabled = false
  }
  show()
  return el(
    'div',
    { class: 'row wrap' },
    followButton,
    viewer?.following ? bell(did, name, viewer.activitySubscription) : undefined,
    muteButton(did, name, viewer?.muted === true),
    blockButton(did, name, viewer?.blocking),
  )
}

function muteButton(did: string, name: string, isMuted: boolean): HTMLElement {
  if (!isMuted) return button(t('mute'), () => void muteAccount(did, name))
  return button(
    t('unmute'),
    () =>
      void attempt(async () => {
        await tell('app.bsky.graph.unmuteActor', { actor: did })
        toast(t('undone'))
      }),
  )
}

function blockButton(did: string, name: string, blocking: string | undefined): HTMLElement {
  if (!blocking) return button(t('block'), () => void blockAccount(did, name))
  return button(
    t('unblock'),
    () =>
      void attempt(async () => {
        await remove(blocking)
        toast(t('undone'))
      }),
  )
}
