// Threads as the reference AppView presents them: its own skeleton, hydration and views, over a social world
// that is scanned record by record.

import { join } from 'node:path'
import { type Reference, referenceHome } from './reference-appview.ts'
import type { World, WorldRecord } from './social-world.ts'

type Skeleton = { anchor: string; uris: string[]; opThread?: string[] | undefined }
type ThreadHydrator = {
  dataplane: Record<string, unknown>
  hydrateThreadPosts(refs: { uri: string }[], ctx: unknown, options?: object): Promise<State>
}
type State = { posts?: Map<string, { record: { reply?: { root: { uri: string } } } } | null> }
type ThreadViews = {
  threadV2(skeleton: Skeleton, state: State, options: object): object
  threadOtherV2(skeleton: Skeleton, state: State, options: object): object[]
  thread(skeleton: Skeleton, state: State, options: object): object
  threadgate(uri: string, state: State): unknown
}
type OpReply = { uri: string; parentUri: string; deletedAt: string | null }
type ResolveOpThread = (root: string, replies: OpReply[]) => string[] | undefined

export type ThreadOptions = {
  above: boolean
  below: number
  branchingFactor: number
  sort: string
}

export type ReferenceThreads = Awaited<ReturnType<typeof referenceThreads>>

/** @param deletedAt - when all deletions were indexed; milliseconds */
export async function referenceThreads(world: World, reference: Reference, deletedAt: number) {
  const hydrator = reference.hydrator as unknown as ThreadHydrator
  const views = reference.views as unknown as ThreadViews
  Object.assign(views, { threadTagsHide: [], threadTagsBumpDown: [] })
  const { resolveCanonicalOpThread } = (await import(
    join(referenceHome, 'data-plane/server/op-thread.js')
  )) as { resolveCanonicalOpThread: ResolveOpThread }
  const parents = parentsIn(world)
  Object.assign(hydrator.dataplane, {
    getKnownLikers: async ({ actorDid, subjectUris }: KnownLikersRequest) => ({
      results: subjectUris.map((uri) => knownLikers(world, { viewer: actorDid, uri })),
    }),
  })
  const around = (anchor: string, above: number, below: number) =>
    urisAround({ world, parents }, anchor, { above, below })

  async function hydrate(skeleton: Skeleton, viewer: string | undefined, withLikers = false) {
    const refs = skeleton.uris.map((uri) => ({ uri }))
    const options = withLikers ? { knownLikers: { subjectUris: [skeleton.anchor] } } : {}
    return hydrator.hydrateThreadPosts(refs, reference.context(viewer), options)
  }

  function gateOf(anchor: string, state: State): unknown {
    const root = state.posts?.get(anchor)?.record.reply?.root.uri ?? anchor
    return views.threadgate(root.replace('feed.post/', 'feed.threadgate/'), state)
  }

  return {
    async v2(anchor: string, options: ThreadOptions, viewer: string | undefined): Promise<object> {
      const above = options.above ? 50 : 0
      const uris = around(anchor, above, options.below)
      const opThread = resolveCanonicalOpThread(...opReplies(world, anchor, deletedAt))
      const skeleton = { anchor, uris, opThread }
      const state = await hydrate(skeleton, viewer, true)
      const view = views.threadV2(skeleton, state, { ...options, above })
      return { ...withFewLikers(view), threadgate: gateOf(anchor, state) }
    },
    async other(anchor: string, viewer: string | undefined): Promise<object> {
      const skeleton = { anchor, uris: around(anchor, 0, 1) }
      const state = await hydrate(skeleton, viewer)
      const thread = views.threadOtherV2(skeleton, state, { below: 1, branchingFactor: 0 })
      return { thread }
    },
    async v1(anchor: string, options: { depth: number; height: number }, viewer?: string) {
      const skeleton = { anchor, uris: around(anchor, options.height, options.depth) }
      const state = await hydrate(skeleton, viewer)
      const thread = views.thread(skeleton, state, options)
      return { thread, threadgate: gateOf(anchor, state) }
    },
  }
}

/** The root of the anchor's thread, and every reply its author ever wrote there. */
function opReplies(world: World, anchor: string, deletedAt: number): Parameters<ResolveOpThread> {
  const root = rootIn(world.records.get(anchor)) ?? anchor
  const created = world.deeds.filter(({ kind }) => kind === 'create').map(({ record }) => record)
  const replies = created
    .filter((part) => rootIn(part) === root && part.did === root.split('/')[2])
    .map((record) => ({
      uri: record.uri,
      parentUri: parentIn(record)!,
      deletedAt: world.records.has(record.uri) ? null : new Date(deletedAt).toISOString(),
    }))
  return [root, replies]
}

/** The anchor, then the existing posts above it, nearest first, then those below, newest first. */
function urisAround(
  { world, parents }: { world: World; parents: ReadonlyMap<string, string> },
  anchor: string,
  { above, below }: { above: number; below: number },
): string[] {
  const here = world.records.has(anchor) ? [anchor] : []
  const up: string[] = []
  for (let uri = parents.get(anchor); uri && up.length < above; uri = parents.get(uri)) {
    if (!world.records.has(uri)) break
    up.push(uri)
  }
  const down: string[] = []
  let layer = [anchor]
  for (let depth = 1; depth <= below && layer.length > 0; depth++) {
    layer = [...parents].filter(([, parent]) => layer.includes(parent)).map(([uri]) => uri)
    down.push(...layer)
  }
  const sortAt = (uri: string) => world.records.get(uri)!.indexedAt
  return [...here, ...up, ...down.sort((a, b) => sortAt(b) - sortAt(a))]
}

/** The reference names three likers and leaves out those in a block; we name three that are in none. */
function withFewLikers(view: object): object {
  return JSON.parse(JSON.stringify(view), (key, value) =>
    key === 'knownLikers' ? { ...value, actors: value.actors.slice(0, PRESENTED_LIKERS) } : value,
  )
}

const PRESENTED_LIKERS = 3

type KnownLikersRequest = { actorDid: string; subjectUris: string[] }

/** Latest first. */
function knownLikers(world: World, { viewer, uri }: { viewer: string; uri: string }) {
  const follows = world.of('app.bsky.graph.follow').filter(({ did }) => did === viewer)
  const followed = new Set(follows.map(({ value }) => value['subject']))
  const likes = world
    .of('app.bsky.feed.like')
    .filter(({ did, value }) => refUri(value['subject']) === uri && followed.has(did))
    .sort((a, b) => b.indexedAt - a.indexedAt)
  return { subjectUri: uri, count: likes.length, dids: likes.map(({ did }) => did) }
}

function parentsIn(world: World): Map<string, string> {
  const parents = new Map<string, string>()
  for (const post of world.of('app.bsky.feed.post')) {
    const parent = parentIn(post)
    if (parent) parents.set(post.uri, parent)
  }
  return parents
}

function parentIn(record: WorldRecord): string | undefined {
  return refUri((record.value['reply'] as { parent?: unknown } | undefined)?.parent)
}

function rootIn(record: WorldRecord | undefined): string | undefined {
  return refUri((record?.value['reply'] as { root?: unknown } | undefined)?.root)
}

function refUri(ref: unknown): string | undefined {
  return (ref as { uri?: string } | undefined)?.uri
}
