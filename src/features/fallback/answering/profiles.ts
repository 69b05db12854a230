// getProfile and getProfiles. For strangers, counts of follows, followers and posts are the public AppView's;
// the rest of a profile is ours, or the AppView's if we have none. For accounts we hold, counts are ours plus
// the counts from before we indexed them (counted.ts), which a first request waits for.

import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { Call } from '../../../http/xrpc/call.ts'
import { findSome, type NamedActor } from '../../../http/xrpc/naming/actor-names.ts'
import { isAway, isStoredAccount } from '../../../http/xrpc/strangers/holdings.ts'
import { lookupsFor } from '../../../http/xrpc/strangers/outside-shares.ts'
import type { Answering } from '../../../http/xrpc/waiting/up-to-date.ts'
import { askFallback } from './ask-fallback.ts'
import type { FallbackContext } from './context.ts'
import { isFinal, outcomeOf, plainBody, settle } from './outcome.ts'
import type { OwnMethod } from './own-method.ts'

const GET_PROFILES = 'app.bsky.actor.getProfiles'
const COUNTS = ['followersCount', 'followsCount', 'postsCount']
const MADE = ['lists', 'feedgens', 'starterPacks']
/**
 * Declared in records that are not fetched for strangers; a record that did arrive here is the
 * latest.
 */
const DECLARED = ['chat']

export function oneProfile(app: FallbackContext, own: OwnMethod): Answering {
  return async (call) => {
    const found = await app.names.find(String(call.params['actor']), call)
    if (!found || !isStranger(app, found, call)) {
      await countsOf(app, [found], call)
      return own.answer(call)
    }
    const { did } = found
    const request = { nsid: own.nsid, params: { actor: did } }
    const both = Promise.all([outcomeOf(own.answer, call), askFallback(app, call, request)])
    const outcome = await Promise.race([both, thatNobodyIs(app, [found], call)])
    if (!outcome) throw invalidRequest('Profile not found')
    const [ours, theirs] = outcome
    if (isFinal(ours) || theirs?.['did'] !== did) return settle(ours)
    if ('error' in ours) return { body: theirs }
    return { ...ours.result, body: merged(await plainBody(ours.result, call), theirs) }
  }
}

export function manyProfiles(app: FallbackContext, own: OwnMethod): Answering {
  return async (call) => {
    const names = call.params['actors'] as string[]
    const found = await findSome(app.names, names, call)
    const ours = countsOf(app, found, call).then(() => own.answer(call))
    const strangers = strangersAmong(app, { names, found }, call)
    if (strangers.size === 0) return ours
    const dids = [...new Set(strangers.values())]
    const theirsToo = askFallback(app, call, {
      nsid: GET_PROFILES,
      params: { actors: dids },
    })
    const sought = found.filter((actor) => actor !== undefined && dids.includes(actor.did))
    const [result, theirs] = await Promise.all([
      ours,
      Promise.race([theirsToo, thatNobodyIs(app, sought as NamedActor[], call)]),
    ])
    if (!theirs) return result
    const body = await plainBody(result, call)
    return { ...result, body: withStrangers(body, { call, strangers, theirs }) }
  }
}

/**
 * Resolves as soon as none of these accounts is known to exist, so that the request need not wait
 * for the AppView; otherwise never.
 */
function thatNobodyIs(
  app: FallbackContext,
  sought: readonly NamedActor[],
  call: Call,
): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  if (sought.some(({ uid }) => uid !== 0)) return promise
  const asker = lookupsFor(app, call)
  Promise.all(sought.map(({ did }) => app.resolver.resolve(did, { asker }))).then(
    (identities) => {
      if (identities.every((identity) => identity === undefined)) resolve(undefined)
    },
    () => undefined, // cannot be determined
  )
  return promise
}

/** Strangers' DIDs by requested name. */
function strangersAmong(
  app: FallbackContext,
  { names, found }: { names: readonly string[]; found: readonly (NamedActor | undefined)[] },
  call: Call,
): Map<string, string> {
  const strangers = found.map((actor) => actor && isStranger(app, actor, call))
  return new Map(names.flatMap((name, i) => (strangers[i] ? [[name, found[i]!.did] as const] : [])))
}

async function countsOf(
  app: FallbackContext,
  found: readonly (NamedActor | undefined)[],
  { signal }: Call,
): Promise<void> {
  const uids = new Set(found.map((actor) => actor?.uid ?? 0))
  const held = [...uids].filter((uid) => uid !== 0 && isStoredAccount(app, uid))
  if (held.length > 0) await app.counted?.actors(held, signal)
}

function withStrangers(
  body: JsonObject,
  { call, strangers, theirs }: { call: Call; strangers: Map<string, string>; theirs: JsonObject },
): JsonObject {
  const byDid = (views: unknown) =>
    new Map((views as JsonObject[]).map((view) => [String(view['did']), view]))
  const own = byDid(body['profiles'])
  const requested = new Set(strangers.values())
  for (const [did, view] of byDid(theirs['profiles'])) {
    if (!requested.has(did)) continue
    const ours = own.get(did)
    own.set(did, ours ? merged(ours, view) : view)
  }
  const names = call.params['actors'] as string[]
  const handles = new Map([...own.values()].map((view) => [view['handle'], view]))
  const inOrder = names.map(
    (name) => own.get(strangers.get(name) ?? name) ?? handles.get(name.toLowerCase()),
  )
  return { profiles: inOrder.filter((view) => view !== undefined) }
}

function isStranger(
  app: FallbackContext,
  { uid, did }: NamedActor,
  { reader, viewer }: Call,
): boolean {
  // A viewer who reads here for the first time is soon backfilled.
  return did !== viewer?.did && !isStoredAccount(app, uid) && !isAway(app, uid, reader)
}

/** Prefers our handle, unless it is unverified. */
function verified({ handle }: JsonObject, theirs: JsonObject): JsonObject {
  return { handle: handle === INVALID_HANDLE ? theirs['handle'] : handle }
}

/** Viewer state is always ours, and so is the profile if it is stored here. */
function merged(ours: JsonObject, theirs: JsonObject): JsonObject {
  const isPointedAt = ours['handle'] === INVALID_HANDLE || ours['indexedAt'] === undefined
  const base = isPointedAt ? { ...theirs, ...verified(ours, theirs) } : ours
  const pick = (from: unknown, names: string[]) =>
    Object.fromEntries(Object.entries(from ?? {}).filter(([name]) => names.includes(name)))
  const associated = {
    ...pick(theirs['associated'], DECLARED),
    ...(base['associated'] as JsonObject),
    ...pick(ours['associated'], DECLARED),
    ...pick(theirs['associated'], MADE),
  }
  return {
    ...base,
    ...pick(theirs, COUNTS),
    associated,
    ...(ours['viewer'] !== undefined && { viewer: ours['viewer'] }),
  }
}
