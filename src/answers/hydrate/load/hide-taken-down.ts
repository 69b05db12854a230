// Removes records hidden by the operator from a state, as if they were not indexed, for all viewers. Whole
// accounts are hidden by their status instead, and labelers' takedowns are applied by load-labels.ts.

import type { Loader } from '../page.ts'
import type { AboutActor } from '../stored-records.ts'
import type { Actor, FeedState, ProfileState } from '../types.ts'

const PROFILE = 'app.bsky.actor.profile'

/** @returns the state. */
export function withoutTakenDown<State extends ProfileState>(
  { readers }: Loader,
  state: State,
): State {
  const { takedowns } = readers
  if (state.seesTakenDown || !takedowns.isAny()) return state
  const hidden = new Set(takedowns.among(subjectsOf(state)))
  if (hidden.size > 0) hide(state, hidden)
  return state
}

function subjectsOf(state: ProfileState): string[] {
  const { posts, reposts, associated } = state as Partial<FeedState>
  return [
    ...[...(posts?.values() ?? [])].map(({ uri }) => uri),
    ...[...(reposts?.values() ?? [])].map(({ uri }) => uri),
    ...[...state.lists.values()].map(({ uri }) => uri),
    ...[...state.actors.values()].map(({ did }) => profileUri(did)),
    ...[...state.about.values()].flatMap(urisAbout),
    ...state.records.keys(),
    ...[...(associated?.values() ?? [])].map(({ uri }) => uri),
  ]
}

function hide(state: ProfileState, hidden: ReadonlySet<string>): void {
  const { posts, reposts, items } = state as Partial<FeedState>
  for (const [id, { uri }] of posts ?? []) if (hidden.has(uri)) posts?.delete(id)
  const undone = new Set<number>()
  for (const [id, { uri }] of reposts ?? []) if (hidden.has(uri)) undone.add(id)
  for (const id of undone) reposts?.delete(id)
  for (const [item, { repost }] of items ?? []) if (undone.has(repost ?? 0)) items?.delete(item)
  for (const uri of state.records.keys()) if (hidden.has(uri)) state.records.delete(uri)
  hideAssociated(state, (uri) => hidden.has(uri))
  for (const [uid, actor] of state.actors) {
    if (hidden.has(profileUri(actor.did))) state.actors.set(uid, withoutProfile(actor))
  }
  for (const [uid, about] of state.about) {
    if (urisAbout(about).some((uri) => hidden.has(uri))) {
      state.about.set(uid, withoutThese(about, hidden))
    }
  }
  const lists = new Set<number>()
  for (const [id, { uri }] of state.lists) if (hidden.has(uri)) lists.add(id)
  for (const id of lists) state.lists.delete(id)
  if (lists.size > 0) withoutLists(state, lists)
}

/** They stay in the state, where a missing one would be fetched. */
export function hideAssociated(state: ProfileState, isHidden: (uri: string) => boolean): void {
  const { associated } = state as Partial<FeedState>
  for (const [key, record] of associated ?? []) {
    if (isHidden(record.uri)) associated?.set(key, { ...record, isHidden: true })
  }
}

function urisAbout({ status, verifications }: AboutActor): string[] {
  const uris = verifications.map(({ uri }) => uri)
  return status ? [status.uri, ...uris] : uris
}

/** Keeps a status for its owner, who is told that others cannot see it. */
function withoutThese(about: AboutActor, hidden: ReadonlySet<string>): AboutActor {
  const { status, verifications } = about
  return {
    ...about,
    status: status && { ...status, isTakenDown: hidden.has(status.uri) },
    verifications: verifications.filter(({ uri }) => !hidden.has(uri)),
  }
}

/** Replaces the profile with an empty one, since a missing one would be fetched. */
function withoutProfile(actor: Actor): Actor {
  if (!actor.profile) return actor
  return { ...actor, profile: { ...actor.profile, record: { $type: PROFILE } } }
}

/** Stops lists that were taken down from blocking and muting. */
export function withoutLists({ relations }: ProfileState, lists: ReadonlySet<number>): void {
  const stays = (list: number | undefined) => (lists.has(list ?? 0) ? undefined : list)
  for (const [uid, relation] of relations) {
    relations.set(uid, {
      ...relation,
      mutedByList: stays(relation.mutedByList),
      blockingByList: stays(relation.blockingByList),
      blockedByList: stays(relation.blockedByList),
    })
  }
}

function profileUri(did: string): string {
  return `at://${did}/${PROFILE}/self`
}
