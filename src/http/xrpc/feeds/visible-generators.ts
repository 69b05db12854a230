// Feed generators by at-URI, as several methods show them. Those that a member requests and we lack are
// fetched, and briefly waited for (missing-waits.ts): a client drops the tabs of feeds missing from the answer. Of
// a feed that is made here, the view names this server, so that clients send it what readers think of a post.

import type { AppBskyActorDefs } from '@atproto/api'
import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { ProfileState } from '../../../answers/hydrate/types.ts'
import { generatorView } from '../../../answers/views/generator-view.ts'
import { profileView } from '../../../answers/views/profiles/profile-views.ts'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import { cidOfRecord } from '../../../base/atproto/record-cid.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { DISCOVER, isDiscover } from './discover-feed.ts'

type Dependencies = Needs<'ownFeeds' | 'hydrator'>
type PresentedGenerator = { state: ProfileState; uri: string; reader: Reader }
type GeneratorView = NonNullable<ReturnType<typeof generatorView>>

/** In the order of `uris`; leaves out those that can't be shown. */
export function generatorViews(
  app: Dependencies,
  uris: readonly string[],
  call: Pick<Call, 'reader'>,
) {
  const state = readGenerators(app, uris, call)
  return uris
    .map((uri) => visibleGenerator(app, { state, uri, reader: call.reader }))
    .filter((view) => view !== undefined)
}

export function visibleGenerator(
  { ownFeeds, hydrator }: Dependencies,
  { state, uri, reader }: PresentedGenerator,
): GeneratorView | undefined {
  const view = generatorView(state, uri)
  const own = ownFeeds.of(uri)
  if (!own) return view
  const visible =
    view ?? (isDiscover(uri) ? withoutRecord(hydrator, { state, uri, reader }) : undefined)
  return visible && { ...visible, did: own.service, acceptsInteractions: true }
}

/** Discover as of 2023, while its record is not here: a client would drop the tab. */
function withoutRecord(
  hydrator: Hydrator,
  { state, uri, reader }: PresentedGenerator,
): GeneratorView | undefined {
  const { did, value } = DISCOVER
  const creator = creatorOf(state, did)
  const labels = hydrator.labels([uri, did], reader)
  const isTakenDown = [uri, did].some((subject) => labels.get(subject)?.isTakenDown)
  if (state.records.has(uri) || !creator || isTakenDown) return undefined
  const { displayName, createdAt } = value
  return {
    uri,
    cid: cidOfRecord(value),
    did: value.did,
    creator,
    displayName,
    likeCount: 0,
    viewer: state.viewer && {},
    indexedAt: createdAt,
  }
}

/** @returns undefined if the account is hidden */
function creatorOf(state: ProfileState, did: string): AppBskyActorDefs.ProfileView | undefined {
  const known = [...state.actors.values()].find((actor) => actor.did === did)
  return known ? profileView(state, known.uid) : { did, handle: INVALID_HANDLE }
}

function readGenerators(
  { hydrator }: Needs<'hydrator'>,
  uris: readonly string[],
  { reader }: Pick<Call, 'reader'>,
): ProfileState {
  const state = hydrator.records(uris, reader)
  reader.missing.addProfiles(state)
  reader.missing.add({ uris: uris.filter((uri) => isMissing(state, uri)) })
  return state
}

/** A feed is not worth showing before its creator has a verified handle. */
function isMissing(state: ProfileState, uri: string): boolean {
  const held = state.records.get(uri)
  const creator = state.actors.get(held?.uid ?? 0)
  return !held || (!creator?.hiddenAs && creator?.handle === INVALID_HANDLE)
}
