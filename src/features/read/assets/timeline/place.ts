// The place of a feed item in its timeline, in the form of the server's cursors, and where a member stopped
// reading, which the server keeps for all their devices.

import { ask, tell } from '../page/api.ts'
import type { Item } from '../posts/post.ts'

export type Position = { ms: number; cid: string }

export function positionOf({ post, reason }: Item): Position {
  const repost =
    reason?.$type === 'app.bsky.feed.defs#reasonRepost'
      ? (reason as { indexedAt: string; cid?: string })
      : undefined
  return { ms: Date.parse(repost?.indexedAt ?? post.indexedAt), cid: repost?.cid ?? post.cid }
}

export function keyOf({ post, reason }: Item): string {
  const { by } = (reason ?? {}) as { by?: { did: string } }
  return `${post.uri} ${by?.did ?? ''}`
}

/** What is below it, without itself; `since` takes it for what is above. */
export const cursorAt = ({ ms, cid }: Position): string => `${ms}__${cid}`
/** What is below it, and itself. */
export const cursorFrom = ({ ms, cid }: Position): string => `${ms + 1}__${cid}`

/** Newest first. */
export function inOrder(a: Position, b: Position): number {
  return b.ms - a.ms || (a.cid < b.cid ? 1 : a.cid > b.cid ? -1 : 0)
}

function parsed(cursor: string | undefined): Position | undefined {
  const [, ms = '', cid = ''] = /^(\d+)__(\w+)$/.exec(cursor ?? '') ?? []
  return cid === '' ? undefined : { ms: Number(ms), cid }
}

/** Undefined if nothing is kept, or the server keeps no positions. */
export async function readPosition(timeline: string): Promise<Position | undefined> {
  const found = await ask<{ position?: string }>('io.slipstream.feed.getPosition', {
    timeline,
  }).catch(() => undefined)
  return parsed(found?.position)
}

export async function savePosition(
  timeline: string,
  position: Position,
  isLeaving: boolean,
): Promise<void> {
  const input = { timeline, position: cursorAt(position) }
  await tell('io.slipstream.feed.putPosition', input, { keepalive: isLeaving }).catch(() => {})
}
