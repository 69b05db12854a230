// What an answer to a member had to leave out because it is not here: the ingest thread is told, so
// that the next answer has it. Fire and forget, each thing once in a while, few messages at a time;
// nothing is lost by dropping one, since the next request asks again. Accounts that we never heard of
// have to exist first: whoever asks for made-up ones must not fill our tables with them.

import type { Writer } from '../bridge.ts'
import type { ActorReader } from '../graph/types.ts'
import type { FeedState, ProfileState, Viewer } from '../hydrate/types.ts'
import { LruMap } from '../identity/lru.ts'
import type { Resolver } from '../identity/resolver.ts'

export type Wanted = {
  /** Posts that the page points at and accounts that it shows, as far as they are not here. */
  afterFeed(state: FeedState): void
  afterProfiles(state: ProfileState): void
  ask(viewer: Viewer, things: { uris?: string[]; dids?: string[] }): void
}

const MAX_REMEMBERED = 20_000
const ASKED_AGAIN_AFTER_MS = 10 * 60 * 1000
const MAX_A_REQUEST = 100
const MAX_IN_FLIGHT = 16

const MAX_STRANGERS_A_REQUEST = 50

export type WantedParts = {
  writer: Writer
  actors: Pick<ActorReader, 'uidOf'>
  resolver: Pick<Resolver, 'resolve'>
  now?: () => number
}

export function createWanted({ writer, actors, resolver, now = Date.now }: WantedParts): Wanted {
  const asked = new LruMap<string, number>(MAX_REMEMBERED)
  let inFlight = 0

  function isNew(thing: string): boolean {
    if (now() - (asked.get(thing) ?? -Infinity) < ASKED_AGAIN_AFTER_MS) return false
    asked.set(thing, now())
    return true
  }

  function ask(viewer: Viewer, things: { uris?: string[]; dids?: string[] }): void {
    if (!viewer || inFlight >= MAX_IN_FLIGHT) return
    const uris = (things.uris ?? []).slice(0, MAX_A_REQUEST).filter(isNew)
    const dids = (things.dids ?? []).slice(0, MAX_A_REQUEST).filter(isNew)
    if (uris.length + dids.length === 0) return
    inFlight++
    send(viewer.did, uris, dids)
      .catch(() => undefined) // a busy writer is asked again later
      .finally(() => inFlight--)
  }

  /** At once where all accounts are known here, which is nearly always. */
  async function send(did: string, uris: string[], dids: string[]): Promise<void> {
    const accounts = new Set([...uris.map(authorityOf), ...dids])
    const strangers = [...accounts].filter((one) => actors.uidOf(one) === 0)
    const later = new Set(strangers.slice(MAX_STRANGERS_A_REQUEST))
    for (const uri of uris) if (later.has(authorityOf(uri))) asked.delete(uri)
    for (const one of dids) if (later.has(one)) asked.delete(one)
    const absent = strangers.length > 0 ? await findAbsent(strangers) : new Set<string>()
    const wanted = {
      uris: uris.filter((uri) => !absent.has(authorityOf(uri))),
      dids: dids.filter((one) => !absent.has(one)),
    }
    if (wanted.uris.length + wanted.dids.length === 0) return
    await writer.send({ kind: 'wanted', did, ...wanted })
  }

  /** Those that do not exist, as far as anybody can say now; and those too many to look up. */
  async function findAbsent(strangers: string[]): Promise<Set<string>> {
    const absent = new Set(strangers)
    const lookUp = async (did: string) => {
      const identity = await resolver.resolve(did).catch(() => undefined)
      if (identity) absent.delete(did)
    }
    await Promise.all(strangers.slice(0, MAX_STRANGERS_A_REQUEST).map(lookUp))
    return absent
  }

  return {
    ask,
    afterFeed(state) {
      if (!state.viewer) return
      const uris = [...state.postRefs.values()]
        .filter(({ isStub, uid }) => isStub && !state.actors.get(uid)?.hiddenAs)
        .map(({ uri }) => uri)
      ask(state.viewer, {
        uris: [...uris, ...embeddedNotHeld(state)],
        dids: didsWithoutProfile(state),
      })
    },
    afterProfiles(state) {
      if (state.viewer) ask(state.viewer, { dids: didsWithoutProfile(state) })
    },
  }
}

/** Lists, feeds and the like that posts here embed. */
function embeddedNotHeld({ posts, lists, records }: FeedState): string[] {
  const uris: string[] = []
  for (const { embedded } of posts.values()) {
    if (!embedded || embedded.collection === 'app.bsky.feed.post') continue
    if (!lists.has(embedded.id ?? 0) && !records.has(embedded.uri)) uris.push(embedded.uri)
  }
  return uris
}

/** Accounts never seen with a profile, and those whose handle nobody has verified yet. */
function didsWithoutProfile({ actors }: ProfileState): string[] {
  return [...actors.values()]
    .filter(({ hiddenAs, handle, profile }) => !hiddenAs && (!profile || handle === UNVERIFIED))
    .map(({ did }) => did)
}

const UNVERIFIED = 'handle.invalid'

function authorityOf(uri: string): string {
  return uri.split('/', 3)[2] ?? ''
}
