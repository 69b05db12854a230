// Threadgates of the threads in front, and postgates of all posts shown.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { packRkey, unpackCid } from '../../../base/atproto/keys.ts'
import type { GateRow } from '../../../data/store/read/posts/gates.ts'
import type { Loader } from '../page.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundPostgate, isSoundThreadgate } from '../shapes/record-shapes.ts'
import type { FeedState, Post, Postgate, Threadgate } from '../types.ts'

const LIST = 'app.bsky.graph.list'
const LIST_RULE = 'app.bsky.feed.threadgate#listRule'

export function loadGates(loader: Loader, state: FeedState, front: Post[]): void {
  loadThreadgates(loader, state, new Set(front.map((post) => post.root ?? post.id)))
  for (const row of loader.readers.gates.postgates(state.posts.keys())) {
    const record = parseRecord<Postgate['record']>(row.record, {
      kind: 'postgate',
      isSound: isSoundPostgate,
      onUnusable: loader.onUnusable,
    })
    if (record) state.postgates.set(row.post, { record })
  }
}

/**
 * Fills `threadgates`.
 * @param roots - posts.id; a gate is included only if the state has its post's ref
 */
export function loadThreadgates(loader: Loader, state: FeedState, roots: Set<number>): void {
  for (const row of loader.readers.gates.threadgates(roots)) {
    const gate = toThreadgate(loader, state, row)
    if (gate) state.threadgates.set(row.post, gate)
  }
}

function toThreadgate(loader: Loader, state: FeedState, row: GateRow): Threadgate | undefined {
  const root = state.postRefs.get(row.post)
  const record = parseRecord<Threadgate['record']>(row.record, {
    kind: 'threadgate',
    isSound: isSoundThreadgate,
    onUnusable: loader.onUnusable,
  })
  if (!root || !record) return undefined
  return {
    // A threadgate has the same account and record key as its post.
    uri: root.uri.replace('/app.bsky.feed.post/', '/app.bsky.feed.threadgate/'),
    cid: unpackCid(row.cid),
    record,
    lists: (record.allow ?? []).flatMap((rule) =>
      rule.$type === LIST_RULE && 'list' in rule ? listIds(loader, rule.list) : [],
    ),
  }
}

function listIds(loader: Loader, uri: unknown): number[] {
  const key = parseRecordUri(uri)
  if (key?.collection !== LIST) return []
  const id = loader.readers.lists.idOf(loader.context.actors.uidOf(key.did), packRkey(key.rkey))
  return id === 0 ? [] : [id]
}
