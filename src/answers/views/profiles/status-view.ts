// app.bsky.actor.defs#statusView: an account's current status, for example being live.

import type { AppBskyActorDefs, AppBskyEmbedExternal } from '@atproto/api'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { LiveStatus } from '../../hydrate/stored-records.ts'
import type { Actor, ProfileState } from '../../hydrate/types.ts'
import { datetime, hasType } from '../fields.ts'
import { labelsOf } from '../labels.ts'
import { mediaEmbedView } from '../posts/embed-media.ts'

/** Bounds on the duration of a status, whatever it declares. */
const SHORTEST_MS = 5 * MINUTE_MS
const LONGEST_MS = 240 * MINUTE_MS

type View = Omit<AppBskyActorDefs.StatusView, '$type'>

export function statusView(
  state: ProfileState,
  { uid }: Actor,
  { uri, cid, record, sortAt, isTakenDown = false }: LiveStatus,
): View | undefined {
  const isVisibleToOwner = isOwn(state, uid)
  if (isTakenDown && !isVisibleToOwner) return undefined
  const { status, durationMinutes, embed } = record
  const lastsMs = durationMinutes && Math.max(durationMinutes * MINUTE_MS, SHORTEST_MS)
  const expiresAt = lastsMs ? sortAt + Math.min(lastsMs, LONGEST_MS) : undefined
  const { now } = state.forEveryone ?? state
  const isActive = expiresAt === undefined ? undefined : expiresAt > now
  // The status expires without any change.
  if (isActive) state.forEveryone?.assumeBefore(expiresAt!)
  return {
    uri,
    cid,
    record,
    status,
    embed: externalView(state, uri, embed),
    labels: labelsOf(state, uri),
    expiresAt: expiresAt === undefined ? undefined : datetime(expiresAt),
    isActive,
    ...(isVisibleToOwner && { isDisabled: isTakenDown }),
  }
}

function externalView(state: ProfileState, uri: string, embed: unknown): View['embed'] {
  const isExternal = hasType<AppBskyEmbedExternal.Main>(embed, 'app.bsky.embed.external')
  const view = isExternal ? mediaEmbedView(embed, uri, state.urls) : undefined
  return view?.$type === 'app.bsky.embed.external#view' ? view : undefined
}

/** Only the owner is shown whether the status was taken down. */
function isOwn(state: ProfileState, uid: number): boolean {
  if (!state.forEveryone) return state.viewer?.uid === uid
  state.forEveryone.assumeNotViewer(uid)
  return false
}
