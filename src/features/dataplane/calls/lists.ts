// Lists, their members, and the accounts that mute or block by them; and an account's own lists, feeds and
// starter packs.

import { createListPages } from '../../../answers/skeleton/list-pages.ts'
import { createOwnRecords } from '../../../answers/skeleton/own-records.ts'
import { parseRecordUri, recordUri } from '../../../base/atproto/at-uri.ts'
import type { RecordCollection } from '../../../base/atproto/collections.ts'
import { prepareListOptOuts, REFERENCE_LIST } from '../../../data/store/read/lists/list-opt-outs.ts'
import type { ListRow } from '../../../data/store/read/lists/lists.ts'
import type { Reading } from '../reading/reading.ts'
import { keysOf, nameOf } from '../wire/keys.ts'
import { bounded, cursorOf, pageSize, type Rpcs } from '../wire/messages.ts'

const LIST = 'app.bsky.graph.list'
const ITEM = 'app.bsky.graph.listitem'
const OPT_OUT = 'app.bsky.graph.referencelistoptout'
const BLOCK = 'app.bsky.graph.listblock'

type Page = { actorDid: string; limit: number; cursor: string }
type ReadLists = ReturnType<typeof createListPages>['ofCreator']

export function listRpcs(reading: Reading): Rpcs {
  const { actors } = reading
  const pages = createListPages(reading)
  const ownRecords = createOwnRecords(reading)
  const listsOf = (read: ReadLists) => (request: Page) => listPage(reading, read, request)
  const madeBy = (collection: RecordCollection) => (request: Page) =>
    recordPage(reading, ownRecords, { ...request, collection })
  const single = (listUri: string, viewerDid?: string) =>
    listsByUri(reading, [listUri], viewerDid).get(listUri)
  return {
    getActorLists: listsOf(pages.ofCreator),
    getMutelistSubscriptions: listsOf(pages.mutedBy),
    getBlocklistSubscriptions: listsOf(pages.blockedBy),
    getActorFeeds: madeBy('app.bsky.feed.generator'),
    getActorStarterPacks: madeBy('app.bsky.graph.starterpack'),

    getListMembers({ listUri, limit, cursor, viewerDid = '' }) {
      const list = single(listUri)
      if (!list) return {}
      const viewer = viewerDid === '' ? 0 : actors.uidOf(viewerDid)
      const request = { list: list.id, viewer, limit: pageSize(limit), cursor: cursorOf(cursor) }
      const page = pages.members(request)
      const creator = actors.didOf(list.uid)
      const listitems = page.items.map(({ subject, rkey, isOptedOut: subjectOptedOut }) => ({
        uri: recordUri(creator, ITEM, rkey),
        did: actors.didOf(subject),
        subjectOptedOut,
      }))
      return { listitems, cursor: page.cursor }
    },

    getListMembership({ actorDid, listUris }) {
      const uid = actors.uidOf(actorDid)
      // A threadgate's rule holds for the members of a list that was deleted, too.
      const ids = uid === 0 ? new Map<string, number>() : listIds(reading, bounded(listUris))
      const items = ids.size > 0 ? pages.memberships([...ids.values()], uid) : undefined
      return {
        listitemUris: listUris.map((uri) => {
          const rkey = items?.get(ids.get(uri) ?? 0)
          return rkey === undefined ? '' : recordUri(parseRecordUri(uri)!.did, ITEM, rkey)
        }),
      }
    },

    getListCount: ({ listUri }) => ({ count: single(listUri)?.itemCount ?? 0 }),

    getListCounts({ refs }) {
      const uris = bounded(refs).map(({ uri }) => uri)
      const lists = listsByUri(reading, uris)
      return { listItems: uris.map((uri) => lists.get(uri)?.itemCount ?? 0) }
    },

    getMutelistSubscription: ({ actorDid, listUri }) => ({
      subscribed: single(listUri, actorDid)?.isMuted === 1,
    }),

    getBlocklistSubscription({ actorDid, listUri }) {
      const rkey = single(listUri, actorDid)?.blockRkey
      return { listblockUri: rkey ? recordUri(actorDid, BLOCK, rkey) : '' }
    },

    getReferencelistoptoutsByActorAndSubjects: optOutsOf(reading),
  }
}

function optOutsOf(reading: Reading): Rpcs['getReferencelistoptoutsByActorAndSubjects'] {
  const { db, actors } = reading
  const optOuts = prepareListOptOuts(db, actors)
  return ({ actorDid, subjectUris }) => {
    const uid = actors.uidOf(actorDid)
    const lists = uid === 0 ? [] : [...listsByUri(reading, bounded(subjectUris)).values()]
    const scopes = lists
      .filter(({ record }) => JSON.parse(record)?.purpose === REFERENCE_LIST)
      .map(({ uid: owner, rkey }) => ({ owner, uri: recordUri(actors.didOf(owner), LIST, rkey) }))
    const found = scopes.length > 0 ? optOuts.byEach(uid, scopes) : undefined
    return {
      uris: subjectUris.map((uri) => {
        const rkey = found?.get(uri)
        return rkey === undefined ? '' : recordUri(actorDid, OPT_OUT, rkey)
      }),
    }
  }
}

/** By at-URI, whether or not the list's record is stored here. */
function listIds({ actors, packs }: Reading, uris: readonly string[]): Map<string, number> {
  const keys = keysOf(actors, uris, LIST)
  if (keys.length === 0) return new Map()
  const ids = new Map(packs.anyListsByKey(keys).map((row) => [nameOf(row), row.id]))
  return new Map(
    keys.flatMap((key) => {
      const id = ids.get(nameOf(key))
      return id === undefined ? [] : [[key.uri, id]]
    }),
  )
}

/** Lists whose record is stored here. */
function listsByUri(
  { actors, lists, packs }: Reading,
  uris: readonly string[],
  viewerDid = '',
): Map<string, ListRow> {
  const keys = keysOf(actors, uris, LIST)
  if (keys.length === 0) return new Map()
  const viewer = viewerDid === '' ? 0 : actors.uidOf(viewerDid)
  const rows = lists.byId(
    packs.listsByKey(keys).map(({ id }) => id),
    viewer,
  )
  const byKey = new Map(rows.map((row) => [nameOf(row), row]))
  return new Map(
    keys.flatMap((key) => {
      const row = byKey.get(nameOf(key))
      return row ? [[key.uri, row]] : []
    }),
  )
}

function recordPage(
  { actors }: Reading,
  read: ReturnType<typeof createOwnRecords>,
  { actorDid, collection, limit, cursor }: Page & { collection: RecordCollection },
) {
  const uid = actors.uidOf(actorDid)
  if (uid === 0) return {}
  const page = read({ uid, collection, limit: pageSize(limit), cursor: cursorOf(cursor) })
  return { uris: page.items, cursor: page.cursor }
}

function listPage(reading: Reading, read: ReadLists, { actorDid, limit, cursor }: Page) {
  const actor = reading.actors.uidOf(actorDid)
  if (actor === 0) return {}
  const page = read({ actor, limit: pageSize(limit), cursor: cursorOf(cursor) })
  const uris = reading.listUris(page.items)
  return { listUris: page.items.flatMap((id) => uris.get(id) ?? []), cursor: page.cursor }
}
