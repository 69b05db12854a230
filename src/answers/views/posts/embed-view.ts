// Views of a post's embed: media, a record, or both. An embedded post shows its own embed, but no further
// level (depth 2). Blocked, detached and missing records show as such.

import type {
  $Typed,
  AppBskyEmbedExternal,
  AppBskyEmbedRecord,
  AppBskyEmbedRecordWithMedia,
} from '@atproto/api'
import type { EmbeddedRecord, FeedState, Post } from '../../hydrate/types.ts'
import { hasType } from '../fields.ts'
import { generatorView } from '../generator-view.ts'
import { extended } from '../json/ready-json.ts'
import { labelerView } from '../labeler-view.ts'
import { listView } from '../list-view.ts'
import { isWithheld } from '../members-only.ts'
import { blockedProfileViewer } from '../profiles/profile-viewer.ts'
import { profileViewBasic } from '../profiles/profile-views.ts'
import { viewerBlocks } from '../rules.ts'
import { starterPackViewBasic } from '../starter-pack-view.ts'
import { type MediaView, mediaEmbedView } from './embed-media.ts'
import { withCard } from './external-card.ts'
import { postBase } from './post-base.ts'

const MAX_DEPTH = 2

type RecordView = AppBskyEmbedRecord.View['record']

type EmbedView =
  | MediaView
  | $Typed<AppBskyEmbedRecord.View>
  | $Typed<AppBskyEmbedRecordWithMedia.View>

/** `depth` is 1 for the embed of a top-level post. */
export function embedView(state: FeedState, post: Post, depth = 1): EmbedView | undefined {
  const { embed } = post.record
  if (!embed) return undefined
  if (hasType<AppBskyEmbedRecord.Main>(embed, 'app.bsky.embed.record')) {
    const record = recordView(state, post, depth)
    return record && { $type: 'app.bsky.embed.record#view', record }
  }
  if (hasType<AppBskyEmbedRecordWithMedia.Main>(embed, 'app.bsky.embed.recordWithMedia')) {
    const media = mediaView(state, embed.media, post)
    const record = recordView(state, post, depth)
    if (!media || !record) return undefined
    return { $type: 'app.bsky.embed.recordWithMedia#view', media, record: wrapped(record) }
  }
  return mediaView(state, embed, post)
}

function mediaView(state: FeedState, embed: object, { uri }: Post): MediaView | undefined {
  const view = mediaEmbedView(embed, uri, state.urls)
  const isLink = hasType<AppBskyEmbedExternal.Main>(embed, 'app.bsky.embed.external')
  return isLink && view?.$type === 'app.bsky.embed.external#view'
    ? withCard(state, view, embed)
    : view
}

function recordView(state: FeedState, post: Post, depth: number): RecordView | undefined {
  const { embedded } = post
  if (!embedded) return undefined
  // An account unknown so far may be indexed later, and a block with it.
  if (embedded.uid === 0) state.forEveryone?.refuse()
  if (viewerBlocks(state, embedded.uid) || state.blocks.has(post.uid, embedded.uid)) {
    return blockedView(state, embedded)
  }
  if (post.violatesPostgate) return detachedView(embedded.uri)
  if (embedded.collection === 'app.bsky.feed.post') {
    return embeddedPostView(state, post, embedded, depth)
  }
  return otherView(state, embedded) ?? notFoundView(embedded.uri)
}

/** @returns undefined if the record is not in our index, or its kind has no view. */
function otherView(state: FeedState, { collection, id, uri }: EmbeddedRecord) {
  switch (collection) {
    case 'app.bsky.graph.list':
      return typed('app.bsky.graph.defs#listView', listView(state, id))
    case 'app.bsky.feed.generator':
      return typed('app.bsky.feed.defs#generatorView', generatorView(state, uri))
    case 'app.bsky.graph.starterpack':
      return typed('app.bsky.graph.defs#starterPackViewBasic', starterPackViewBasic(state, uri))
    case 'app.bsky.labeler.service':
      return typed('app.bsky.labeler.defs#labelerView', labelerView(state, uri))
    default:
      return undefined
  }
}

function typed<Name extends string, View extends object>(
  $type: Name,
  view: View | undefined,
): (View & { $type: Name }) | undefined {
  return view && { ...view, $type }
}

function embeddedPostView(
  state: FeedState,
  { uri: embeddingUri }: Post,
  { uri, id = 0 }: EmbeddedRecord,
  depth: number,
): RecordView {
  const post = state.posts.get(id)
  const author = post && profileViewBasic(state, post.uid)
  if (!author) return notFoundView(uri)
  const detached = state.postgates.get(post.id)?.record.detachedEmbeddingUris
  if (detached?.includes(embeddingUri)) return detachedView(uri)
  if (isWithheld(state, post.uid)) return notFoundView(uri)
  const embed = depth < MAX_DEPTH ? embedView(state, post, depth + 1) : undefined
  return extended(postBase(state, post), {
    $type: 'app.bsky.embed.record#viewRecord' as const,
    author,
    value: post.record,
    embeds: depth < MAX_DEPTH ? (embed ? [embed] : []) : undefined,
  })
}

/**
 * The reference sets this wrapper's type only around records that cannot be shown; snapshot tests
 * compare it.
 */
function wrapped(record: RecordView): AppBskyEmbedRecord.View {
  const isVisible = record.$type === 'app.bsky.embed.record#viewRecord' || 'creator' in record
  return isVisible ? { record } : { $type: 'app.bsky.embed.record#view', record }
}

function blockedView(state: FeedState, { uri, did, uid }: EmbeddedRecord): RecordView {
  return {
    $type: 'app.bsky.embed.record#viewBlocked',
    uri,
    blocked: true,
    author: { did, viewer: blockedProfileViewer(state, uid) },
  }
}

function detachedView(uri: string): RecordView {
  return { $type: 'app.bsky.embed.record#viewDetached', uri, detached: true }
}

function notFoundView(uri: string): RecordView {
  return { $type: 'app.bsky.embed.record#viewNotFound', uri, notFound: true }
}
