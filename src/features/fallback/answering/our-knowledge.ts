// Loads what our index knows about the accounts, posts and records in a public AppView's answer
// (appview/our-verdict.ts), in a few reads for as many as fit into a turn: an answer names hundreds, and our own views of
// its posts may be large. Accounts unknown here have no relations.

import type { Reader } from '../../../answers/hydrate/reader.ts'
import type { FeedState, ProfileState } from '../../../answers/hydrate/types.ts'
import { labelsOf } from '../../../answers/views/labels.ts'
import { postView } from '../../../answers/views/posts/post-view.ts'
import { postViewer, ungatedPostViewer } from '../../../answers/views/posts/post-viewer.ts'
import {
  blockedProfileViewer,
  profileViewer,
} from '../../../answers/views/profiles/profile-viewer.ts'
import { relationRules } from '../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { INVALID_HANDLE } from '../../../base/atproto/handle.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import { inParts } from '../../../base/util/turn.ts'
import type { PostByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import type { OwnKnowledge } from '../../../http/xrpc/feeds/posts-elsewhere.ts'
import { isStoredAccount } from '../../../http/xrpc/strangers/holdings.ts'
import {
  type AccountVerdict,
  collect,
  type OurVerdict,
  type RecordVerdict,
} from '../appview/our-verdict.ts'

const LIST = 'app.bsky.graph.list'

export function* ourVerdictOn(
  parts: OwnKnowledge,
  answer: JsonObject,
  reader: Reader,
): Generator<void, OurVerdict> {
  const { dids, posts, records } = collect(answer)
  yield
  return {
    isSignedIn: reader.viewer !== undefined,
    account: yield* wordsOn(dids, (some) => accountWords(parts, some, reader)),
    post: yield* wordsOn(posts, (some) => postWords(parts, some, reader)),
    record: yield* wordsOn(records, (some) => recordWords(parts, some, reader)),
  }
}

/** Of what the answer does not name, nothing is known. */
function* wordsOn<Word>(
  names: ReadonlySet<string>,
  read: (some: readonly string[]) => (name: string) => Word,
): Generator<void, (name: string) => Word> {
  const words = new Map<string, Word>()
  yield* inParts([...names], (some) => {
    const wordOn = read(some)
    for (const name of some) words.set(name, wordOn(name))
    return some
  })
  const nothing = read([])
  return (name) => words.get(name) ?? nothing(name)
}

function accountWords(
  { actors, hydrator }: OwnKnowledge,
  dids: readonly string[],
  reader: Reader,
): (did: string) => AccountVerdict {
  const uidOf = new Map(dids.map((did) => [did, actors.uidOf(did)]))
  const state = hydrator.profiles(
    [...uidOf.values()].filter((uid) => uid !== 0),
    reader,
  )
  return (did) => {
    const uid = uidOf.get(did) ?? 0
    const actor = state.actors.get(uid)
    return {
      ...relationRules(state, uid),
      isHidden: actor?.hiddenAs !== undefined,
      handle: actor && actor.handle !== INVALID_HANDLE ? actor.handle : undefined,
      viewer: profileViewer(state, uid) as JsonObject | undefined,
      blockedViewer: blockedProfileViewer(state, uid) as JsonObject | undefined,
      labels: labelsOf(state, did, `at://${did}/app.bsky.actor.profile/self`),
    }
  }
}

function postWords(
  parts: OwnKnowledge,
  posts: readonly string[],
  reader: Reader,
): (uri: string) => RecordVerdict {
  const { hydrator } = parts
  const rows = parts.postsByUri(posts)
  const present = [...rows.values()].filter(({ is }) => is === 'present').map(({ id }) => id)
  const state = hydrator.posts(present, reader)
  const doings = hydrator.postViewers(
    [...rows.values()].map(({ id }) => id),
    reader,
  )
  const labels = hydrator.labels(posts, reader)
  return (uri) => {
    const row = rows.get(uri)
    const post = state.posts.get(row?.id ?? 0)
    const labelState = labels.get(uri)
    const isGone = row?.is === 'gone' || (row?.is === 'present' && !post)
    return {
      isGone: isGone || (labelState?.isTakenDown ?? false),
      viewer:
        reader.viewer &&
        ((post
          ? postViewer(state, post)
          : ungatedPostViewer(doings.get(row?.id ?? 0))) as JsonObject),
      labels: labelState?.labels ?? [],
      own: ownView(parts, state, row),
    }
  }
}

/** Our own view of a post, if we hold its author's account. */
function ownView(
  parts: OwnKnowledge,
  state: FeedState,
  row: PostByUri | undefined,
): JsonObject | undefined {
  const post = state.posts.get(row?.id ?? 0)
  if (!post || !isStoredAccount(parts, post.uid)) return undefined
  return postView(state, post.id) as JsonObject | undefined
}

function recordWords(
  parts: OwnKnowledge,
  uris: readonly string[],
  reader: Reader,
): (uri: string) => RecordVerdict {
  const { hydrator } = parts
  const lists = listIds(parts, uris)
  const listState = hydrator.lists([...lists.values()], reader)
  const state = hydrator.records(
    uris.filter((uri) => !lists.has(uri)),
    reader,
  )
  const labels = hydrator.labels(uris, reader)
  return (uri) => ({
    isGone: labels.get(uri)?.isTakenDown ?? false,
    viewer:
      reader.viewer &&
      viewerOfRecord(uri, { list: listState.lists.get(lists.get(uri) ?? 0), state }),
    labels: labels.get(uri)?.labels ?? [],
  })
}

function listIds({ listPages }: OwnKnowledge, uris: readonly string[]): Map<string, number> {
  const ids = new Map<string, number>()
  for (const uri of uris) {
    const key = parseRecordUri(uri)
    if (key?.collection === LIST) ids.set(uri, listPages.idOf(key.did, key.rkey))
  }
  return ids
}

function viewerOfRecord(
  uri: string,
  {
    list,
    state,
  }: {
    list: { mutedByViewer: boolean; blockedByViewer: string | undefined } | undefined
    state: ProfileState
  },
): JsonObject | undefined {
  if (uri.includes(`/${LIST}/`)) {
    return { muted: list?.mutedByViewer ?? false, blocked: list?.blockedByViewer }
  }
  if (uri.includes('/app.bsky.graph.starterpack/')) return undefined
  return { like: state.records.get(uri)?.like }
}
