// A client's requests to Slipstream through the PDS. Every answer has passed the strict decoder.

import { schemas } from '@atproto/api'
import type { DidString } from '@atproto/lex'
import { Lexicons } from '@atproto/lexicon'
import { app } from '@bsky/sdk/lexicons'
import socialProofLexicon from '../../../lexicons/io/slipstream/graph/getSocialProof.json' with {
  type: 'json',
}
import type { Account, Ref, Way } from './account.ts'
import type { DirectReader } from './direct-reader.ts'

const lexicons = new Lexicons([...schemas, socialProofLexicon as (typeof schemas)[number]])

export type FeedViewPost = app.bsky.feed.defs.FeedViewPost
export type PostView = app.bsky.feed.defs.PostView

type Page = { limit?: number; cursor?: string }

export function timelinePage(reader: Account, page: Page = {}, way?: Way) {
  return reader.client(way).call(app.bsky.feed.getTimeline, { limit: 50, ...page })
}

export async function timeline(reader: Account, way?: Way): Promise<FeedViewPost[]> {
  return (await timelinePage(reader, {}, way)).feed
}

export function fullTimeline(reader: DirectReader, limit: number): Promise<FeedViewPost[]> {
  return everyPage(async (page) => {
    const { feed, cursor } = await reader
      .client()
      .call(app.bsky.feed.getTimeline, { limit, ...page })
    return { items: feed, cursor }
  })
}

export function fullAuthorFeed(reader: DirectReader, actor: DidString): Promise<FeedViewPost[]> {
  return everyPage(async (page) => {
    const params = { actor, limit: 100, ...page }
    const { feed, cursor } = await reader.client().call(app.bsky.feed.getAuthorFeed, params)
    return { items: feed, cursor }
  })
}

export function fullFollows(reader: DirectReader, actor: DidString): Promise<string[]> {
  return everyPage(async (page) => {
    const params = { actor, limit: 100, ...page }
    const { follows, cursor } = await reader.client().call(app.bsky.graph.getFollows, params)
    return { items: follows.map(({ did }) => did), cursor }
  })
}

export function fullFollowers(reader: DirectReader, actor: DidString): Promise<string[]> {
  return everyPage(async (page) => {
    const params = { actor, limit: 100, ...page }
    const { followers, cursor } = await reader.client().call(app.bsky.graph.getFollowers, params)
    return { items: followers.map(({ did }) => did), cursor }
  })
}

/**
 * Follows the cursor to the end.
 * @throws Error after more than 5,000 pages: a slow machine receives more meanwhile
 */
async function everyPage<T>(
  ask: (page: { cursor?: string }) => Promise<{ items: T[]; cursor: string | undefined }>,
): Promise<T[]> {
  const all: T[] = []
  let page: { cursor?: string } = {}
  for (let i = 0; i < 5_000; i++) {
    const { items, cursor } = await ask(page)
    all.push(...items)
    if (cursor === undefined) return all
    page = { cursor }
  }
  throw new Error('paging does not end')
}

export async function authorFeed(reader: Account, author: Account): Promise<FeedViewPost[]> {
  const params = { actor: author.did, limit: 50 }
  return (await reader.client().call(app.bsky.feed.getAuthorFeed, params)).feed
}

export async function postViews(
  reader: DirectReader,
  refs: Pick<Ref, 'uri'>[],
): Promise<PostView[]> {
  const uris = refs.map(({ uri }) => uri)
  return (await reader.client().call(app.bsky.feed.getPosts, { uris })).posts
}

export async function postView(reader: Account, ref: Ref): Promise<PostView> {
  const [view] = await postViews(reader, [ref])
  if (!view) throw new Error(`${ref.uri} was not found`)
  return view
}

export function profile(reader: Account, actor: Account) {
  return reader.client().call(app.bsky.actor.getProfile, { actor: actor.did })
}

export async function follows(reader: Account, actor: Account): Promise<string[]> {
  const answer = await reader.client().call(app.bsky.graph.getFollows, { actor: actor.did })
  return answer.follows.map(({ did }) => did)
}

export async function followers(reader: Account, actor: Account): Promise<string[]> {
  const answer = await reader.client().call(app.bsky.graph.getFollowers, { actor: actor.did })
  return answer.followers.map(({ did }) => did)
}

export async function relationship(reader: Account, actor: Account, other: Account) {
  const params = { actor: actor.did, others: [other.did] }
  return (await reader.client().call(app.bsky.graph.getRelationships, params)).relationships[0]
}

export async function knownFollowers(reader: Account, subject: Account, page: Page = {}) {
  const params = { actor: subject.did, limit: 50, ...page }
  return reader.client().call(app.bsky.graph.getKnownFollowers, params)
}

/** Texts of all items in order; reposts are marked. */
export function texts(feed: FeedViewPost[]): string[] {
  return feed.map(({ post, reason }) => {
    const text = (post.record as { text?: string }).text ?? ''
    return reason?.$type === 'app.bsky.feed.defs#reasonRepost' ? `${text} (repost)` : text
  })
}

export type SocialProof = { did: string; count: number; followers: { did: string }[] }

/** Our own batch method, by header only, because a PDS has no default for its name. */
export async function socialProof(reader: Account, subjects: Account[]): Promise<SocialProof[]> {
  const path = `/xrpc/${socialProofLexicon.id}?${subjects.map(({ did }) => `subjects=${did}`).join('&')}`
  const answer = await reader.raw(path, 'by-header')
  const body: unknown = await answer.json()
  if (!answer.ok) throw new Error(`${answer.status} ${JSON.stringify(body)}`)
  lexicons.assertValidXrpcOutput(socialProofLexicon.id, body)
  return (body as { proofs: SocialProof[] }).proofs
}
