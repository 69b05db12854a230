// The slow path: hydration, rules and views for one viewer, where no cached view can serve.

import type { Hydrator, PostOptions } from '../hydrate/hydrator-types.ts'
import type { Reader } from '../hydrate/reader.ts'
import { byteText, ReadyJson } from '../views/json/ready-json.ts'
import { feedViewPost } from '../views/posts/feed-view-post.ts'
import { postView } from '../views/posts/post-view.ts'
import { profileView, profileViewBasic } from '../views/profiles/profile-views.ts'
import { feedItemRules, relationRules, viewerBlocks } from '../views/rules.ts'
import { factsOf } from './make-views.ts'
import type { ItemOptions, ProfileOptions } from './present.ts'

/**
 * @returns views in the order of `items`, undefined for items not shown; so do the functions
 * below.
 */
export function presentItems(
  hydrator: Hydrator,
  reader: Reader,
  items: number[],
  { isVisible, pinned }: ItemOptions,
): (ReadyJson | undefined)[] {
  const state = hydrator.feed(items, reader, { knownLikers: 'roots' })
  reader.missing.addFeed(state)
  return items.map((item) => {
    if (isVisible && !isVisible(feedItemRules(state, item), factsOf(state, item))) return undefined
    return readyView(feedViewPost(state, item, { pinned: item === pinned }))
  })
}

export function presentPosts(
  hydrator: Hydrator,
  reader: Reader,
  ids: number[],
  options: PostOptions,
): (ReadyJson | undefined)[] {
  const state = hydrator.posts(ids, reader, options)
  reader.missing.addFeed(state)
  return ids.map((id) => {
    if (viewerBlocks(state, state.postRefs.get(id)?.uid ?? 0)) return undefined
    return readyView(postView(state, id))
  })
}

export function presentProfiles(
  hydrator: Hydrator,
  reader: Reader,
  uids: number[],
  { basic, isVisible }: ProfileOptions,
): (ReadyJson | undefined)[] {
  const state = hydrator.profiles(uids, reader)
  reader.missing.addProfiles(state)
  return uids.map((uid) => {
    if (isVisible && !isVisible(uid, relationRules(state, uid))) return undefined
    return readyView(basic ? profileViewBasic(state, uid) : profileView(state, uid))
  })
}

function readyView(view: object | undefined): ReadyJson | undefined {
  return view && new ReadyJson([byteText(view)])
}
