// The reference AppView's own hydrator and views (@atproto/bsky, from the end-to-end tests' packages), over a
// data plane that answers from a social world by scanning every record. Our views must equal its output.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { referenceDataplane } from './reference-dataplane.ts'
import type { World } from './social-world.ts'

export const referenceHome = join(import.meta.dirname, '../e2e/node_modules/@atproto/bsky/dist')

export const referenceIsInstalled = existsSync(referenceHome)

/** As the data plane returns them: without expired ones. */
export type ReferenceLabel = { src: string; uri: string; val: string; cts: string; neg?: boolean }

type Labelers = { dids: readonly string[]; redact: ReadonlySet<string> }

export type ReferenceItem = { post: { uri: string }; repost?: { uri: string } }

/** The parts of the reference that are used; its states and views are opaque here. */
type Hydrator = {
  hydrateFeedItems(items: ReferenceItem[], ctx: unknown): Promise<unknown>
  hydratePosts(refs: { uri: string }[], ctx: unknown): Promise<unknown>
  hydrateProfilesDetailed(dids: string[], ctx: unknown): Promise<unknown>
  hydrateFeedGens(uris: string[], ctx: unknown): Promise<unknown>
  hydrateStarterPacks(uris: string[], ctx: unknown): Promise<unknown>
  hydrateLabelers(dids: string[], ctx: unknown): Promise<unknown>
}
type Views = {
  feedItemBlocksAndMutes(item: ReferenceItem, state: unknown): Record<string, boolean>
  feedViewPost(item: ReferenceItem, state: unknown): unknown
  post(uri: string, state: unknown): unknown
  profileBasic(did: string, state: unknown): unknown
  profile(did: string, state: unknown): unknown
  profileDetailed(did: string, state: unknown): unknown
  feedGenerator(uri: string, state: unknown): unknown
  starterPack(uri: string, state: unknown): unknown
  labelerDetailed(did: string, state: unknown): unknown
}
type Made<T> = new (...given: unknown[]) => T

export type Reference = {
  hydrator: Hydrator
  views: Views
  context(viewer: string | undefined, labelers?: Labelers): unknown
}

/** `order`: the order in which known followers are listed, which the reference leaves undefined. */
export async function referenceOver(
  world: World,
  order: (did: string) => number,
  labels: readonly ReferenceLabel[] = [],
): Promise<Reference> {
  return referenceWith(referenceDataplane(world, order, labels))
}

/** The same over any data plane that its client can talk to. */
export async function referenceWith(dataplane: object): Promise<Reference> {
  const load = async (path: string) =>
    (await import(join(referenceHome, path))) as Record<string, unknown>
  const { Views } = (await load('views/index.js')) as { Views: Made<Views> }
  const { Hydrator, HydrateCtx } = (await load('hydration/hydrator.js')) as {
    Hydrator: Made<Hydrator>
    HydrateCtx: Made<unknown>
  }
  const { ImageUriBuilder } = (await load('image/uri.js')) as { ImageUriBuilder: Made<unknown> }
  const { VideoUriBuilder } = (await load('views/util.js')) as { VideoUriBuilder: Made<unknown> }
  const features = { checkGate: () => false, Gate: {} }
  return {
    hydrator: new Hydrator(dataplane, [], { featureGatesClient: {} }),
    views: new Views({
      imgUriBuilder: new ImageUriBuilder('https://img.test'),
      videoUriBuilder: new VideoUriBuilder({
        playlistUrlPattern: 'https://vid.test/%s/%s/playlist.m3u8',
        thumbnailUrlPattern: 'https://vid.test/%s/%s/thumbnail.jpg',
      }),
    }),
    context: (viewer, labelers = { dids: [], redact: new Set() }) =>
      new HydrateCtx({
        labelers,
        viewer: viewer ?? null,
        features,
      }),
  }
}

/** The same URLs in our pattern syntax. */
export const referenceUrlPatterns = {
  imageUrlPattern: 'https://img.test/{preset}/plain/{did}/{cid}',
  videoPlaylistUrlPattern: 'https://vid.test/{did}/{cid}/playlist.m3u8',
  videoThumbnailUrlPattern: 'https://vid.test/{did}/{cid}/thumbnail.jpg',
}
