// What an answer to a member had to leave out because it is not here: the ingest thread is told, so
// that the next answer has it. Fire and forget, each thing once in a while, few messages at a time;
// nothing is lost by dropping one, since the next request asks again.

import type { Writer } from '../bridge.ts'
import type { FeedState, ProfileState, Viewer } from '../hydrate/types.ts'
import { LruMap } from '../identity/lru.ts'

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

export function createWanted(writer: Writer, now: () => number = Date.now): Wanted {
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
    writer
      .send({ kind: 'wanted', did: viewer.did, uris, dids })
      .catch(() => undefined) // a busy writer is asked again later
      .finally(() => inFlight--)
  }

  return {
    ask,
    afterFeed(state) {
      if (!state.viewer) return
      const uris = [...state.postRefs.values()]
        .filter(({ isStub, uid }) => isStub && !state.actors.get(uid)?.hiddenAs)
        .map(({ uri }) => uri)
      ask(state.viewer, { uris, dids: didsWithoutProfile(state) })
    },
    afterProfiles(state) {
      if (state.viewer) ask(state.viewer, { dids: didsWithoutProfile(state) })
    },
  }
}

/** Accounts never seen with a profile, and those whose handle nobody has verified yet. */
function didsWithoutProfile({ actors }: ProfileState): string[] {
  return [...actors.values()]
    .filter(({ hiddenAs, handle, profile }) => !hiddenAs && (!profile || handle === UNVERIFIED))
    .map(({ did }) => did)
}

const UNVERIFIED = 'handle.invalid'
