// A profile: who it is, who of those one follows stands behind it, what one can do, and its posts.

import type { AppBskyActorDefs } from '@atproto/api'
import { bell } from './notifications/bell.ts'
import { ask, me, tell } from './page/api.ts'
import { covered } from './page/cover.ts'
import { button, el, isWebAddress } from './page/dom.ts'
import { endless } from './page/endless.ts'
import { attempt, toast } from './page/toast.ts'
import type { View } from './page/view.ts'
import { type Key, t } from './page/words.ts'
import { face, handleOf, nameOf, type Person, proofLine } from './people/people.ts'
import { causeWords, judgedProfile } from './people/preferences.ts'
import { postCard } from './posts/post.ts'
import { richText } from './posts/rich-text.ts'
import type { FeedPage } from './timeline/timeline.ts'
import { isVisible, postOf } from './timeline/tuner.ts'
import { block, follow, remove } from './writing/records.ts'

type Profile = AppBskyActorDefs.ProfileViewDetailed

export function profileView(actor: string): View {
  const head = el('div', { class: 'profile' })
  const list = el('ol', { class: 'feed' })
  const { node, first, more } = endless(list, async (cursor) => {
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
      .filter((item) => isVisible(item) || item.reply !== undefined)
      .map((item) =>
        el(
          'li',
          {},
          postCard(item.post, { reason: item.reason, parent: postOf(item.reply?.parent) }),
        ),
      )
    return { nodes, cursor: page.cursor }
  })
  return {
    title: t('profile'),
    node: el('div', {}, head, node),
    first,
    more,
    showsPosted: actor === me(),
  }
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

function controls({ did, viewer, handle }: Profile): HTMLElement {
  const name = handleOf({ did, handle })
  let [following, blocking] = [
    viewer?.following as string | undefined,
    viewer?.blocking as string | undefined,
  ]
  const followSwitch = {
    isOn: following !== undefined,
    words: ['follow', 'unfollow'],
    done: 'followed',
    async set(isOn) {
      if (!isOn) await remove(following!)
      following = isOn ? (await follow(did)).uri : undefined
    },
  } as const satisfies Switch
  const muteSwitch = {
    isOn: viewer?.muted === true,
    words: ['mute', 'unmute'],
    done: 'muted',
    set: (isOn) => tell(`app.bsky.graph.${isOn ? 'muteActor' : 'unmuteActor'}`, { actor: did }),
  } as const satisfies Switch
  const blockSwitch = {
    isOn: blocking !== undefined,
    words: ['block', 'unblock'],
    done: 'blocked',
    async set(isOn) {
      if (!isOn) await remove(blocking!)
      blocking = isOn ? (await block(did)).uri : undefined
    },
  } as const satisfies Switch
  return el(
    'div',
    { class: 'row wrap' },
    switchButton(followSwitch, name, { class: 'strong' }),
    viewer?.following ? bell(did, name, viewer.activitySubscription) : undefined,
    switchButton(muteSwitch, name),
    switchButton(blockSwitch, name),
  )
}

type Switch = {
  isOn: boolean
  /** What a press does, while it is off and while it is on. */
  words: readonly [Key, Key]
  /** What is said once it is on. */
  done: Key
  set(isOn: boolean): Promise<void>
}

function switchButton(
  { isOn: isOnAtFirst, words, done, set }: Switch,
  name: string,
  attributes: { class?: string } = {},
): HTMLButtonElement {
  let isOn = isOnAtFirst
  const made = button('', () => void flip(), attributes)
  const show = () => {
    made.textContent = t(words[isOn ? 1 : 0])
  }
  async function to(wanted: boolean): Promise<void> {
    await set(wanted)
    isOn = wanted
    show()
  }
  async function flip(): Promise<void> {
    const wanted = !isOn
    made.disabled = true
    if (await attempt(() => to(wanted)))
      toast(wanted ? t(done, { name }) : t('undone'), () => to(!wanted))
    made.disabled = false
    made.focus({ preventScroll: true })
  }
  show()
  return made
}
