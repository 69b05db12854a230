// Loads accounts, their relations to the viewer, and lists: shared by feeds and profiles.

import { recordUri } from '../../../base/atproto/at-uri.ts'
import { unpackCid } from '../../../base/atproto/keys.ts'
import { REFERENCE_LIST } from '../../../data/store/read/lists/list-opt-outs.ts'
import type { ListRow } from '../../../data/store/read/lists/lists.ts'
import type { Loader } from '../page.ts'
import { parseRecord } from '../shapes/parse-record.ts'
import { isSoundList } from '../shapes/record-shapes.ts'
import type { Actor, List, ProfileState, Viewer } from '../types.ts'
import { loadAbout } from './load-about.ts'
import { loadActors } from './load-actors.ts'
import { toRelations, withoutMutes } from './load-relations.ts'

const LIST = 'app.bsky.graph.list'
const OPT_OUT = 'app.bsky.graph.referencelistoptout'
const LIST_BLOCK = 'app.bsky.graph.listblock'

/** Fills `actors`, `about` and `relations`. */
export function loadAccounts(loader: Loader, state: ProfileState, uids: Set<number>): void {
  uids.delete(0)
  for (const actor of loadActors(loader, uids)) state.actors.set(actor.uid, visibleTo(state, actor))
  loadAbout(loader, state, uids)
  loadRelations(loader, state, uids)
}

function visibleTo({ seesTakenDown }: ProfileState, actor: Actor): Actor {
  const isVisible = seesTakenDown && actor.hiddenAs === 'takendown'
  return isVisible ? { ...actor, hiddenAs: undefined } : actor
}

/** Fills `relations`. */
export function loadRelations(loader: Loader, state: ProfileState, uids: Iterable<number>): void {
  if (!state.viewer || state.viewer.uid === 0) return
  const others = [...uids].filter((uid) => uid !== state.viewer?.uid)
  const found = loader.readers.relations(state.viewer.uid, others)
  const rows = state.viewer.withoutPrivateState ? found.map(withoutMutes) : found
  const didOf = (uid: number) => loader.context.actors.didOf(uid)
  for (const [uid, relation] of toRelations(rows, state.viewer.did, didOf))
    state.relations.set(uid, relation)
}

/**
 * Fills `lists` with these lists and with those by which the viewer and other accounts block or
 * mute.
 */
export function loadLists(loader: Loader, state: ProfileState, ids: Set<number>): void {
  for (const { blockingByList, blockedByList, mutedByList } of state.relations.values()) {
    for (const list of [blockingByList, blockedByList, mutedByList]) if (list) ids.add(list)
  }
  if (ids.size === 0) return
  for (const row of loader.readers.lists.byId(ids, state.viewer?.uid ?? 0)) {
    const list = toList(loader, row, state.viewer)
    if (list) state.lists.set(row.id, list)
  }
}

function toList(loader: Loader, row: ListRow, viewer: Viewer): List | undefined {
  const record = parseRecord<List['record']>(row.record, {
    kind: 'list',
    isSound: isSoundList,
    onUnusable: loader.onUnusable,
  })
  if (!record) return undefined
  const uri = recordUri(loader.context.actors.didOf(row.uid), LIST, row.rkey)
  const isReference = record.purpose === REFERENCE_LIST
  const optOut =
    viewer && isReference ? loader.optOuts.by(viewer.uid, { owner: row.uid, uri }) : undefined
  return {
    id: row.id,
    uid: row.uid,
    uri,
    cid: unpackCid(row.cid),
    record,
    sortAt: row.sortAt,
    itemCount: row.itemCount,
    blockedByViewer:
      viewer && row.blockRkey !== null
        ? recordUri(viewer.did, LIST_BLOCK, row.blockRkey)
        : undefined,
    optOutOfViewer: viewer && optOut && recordUri(viewer.did, OPT_OUT, optOut),
    mutedByViewer: row.isMuted === 1 && !viewer?.withoutPrivateState,
  }
}
