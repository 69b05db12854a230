// The rules of every record type. A former author's records are scanned in this order
// (retention/sweep-author.ts); a row of `doubts` counts the steps, so new types must be added at the end.

import type { Collection } from '../../../base/atproto/collections.ts'
import { associatedRecord } from './associated-record.ts'
import { block } from './block.ts'
import type { CollectionRules } from './collection-rules.ts'
import { follow } from './follow.ts'
import { generator } from './generator.ts'
import { like } from './like.ts'
import { list } from './list.ts'
import { listBlock } from './list-block.ts'
import { listItem } from './list-item.ts'
import { listOptOut } from './list-opt-out.ts'
import { post } from './post.ts'
import { postgate } from './postgate.ts'
import { profile } from './profile.ts'
import { repost } from './repost.ts'
import { smallRecord } from './small-records.ts'
import { threadgate } from './threadgate.ts'
import { verification } from './verification.ts'

export const allRules: Record<Collection, CollectionRules> = {
  'app.bsky.actor.profile': profile,
  'app.bsky.feed.post': post,
  'app.bsky.feed.repost': repost,
  'app.bsky.feed.like': like,
  'app.bsky.graph.follow': follow,
  'app.bsky.graph.block': block,
  'app.bsky.graph.listblock': listBlock,
  'app.bsky.feed.threadgate': threadgate,
  'app.bsky.feed.postgate': postgate,
  'app.bsky.graph.list': list,
  'app.bsky.graph.listitem': listItem,
  'app.bsky.feed.generator': generator,
  'app.bsky.graph.starterpack': smallRecord('app.bsky.graph.starterpack'),
  'app.bsky.labeler.service': smallRecord('app.bsky.labeler.service'),
  'app.bsky.actor.status': smallRecord('app.bsky.actor.status'),
  'app.bsky.graph.verification': verification,
  'app.bsky.notification.declaration': smallRecord('app.bsky.notification.declaration'),
  'chat.bsky.actor.declaration': smallRecord('chat.bsky.actor.declaration'),
  'com.germnetwork.declaration': smallRecord('com.germnetwork.declaration'),
  'app.bsky.graph.referencelistoptout': listOptOut,
  'app.bsky.actor.contentVisibilityDeclaration': smallRecord(
    'app.bsky.actor.contentVisibilityDeclaration',
  ),
  'site.standard.document': associatedRecord('site.standard.document'),
  'site.standard.publication': associatedRecord('site.standard.publication'),
}

export const everyRule: readonly CollectionRules[] = Object.values(allRules)

/** In the order in which they are requested. */
export function collectionsReadWith(group: CollectionRules['readWith']): Collection[] {
  const names = Object.keys(allRules) as Collection[]
  return names.filter((name) => allRules[name].readWith === group)
}
