// Takedowns and tags set by the operator on accounts, records and blobs. The frontend's admin routes set
// takedowns here, and log them in the same journal as the operator's own decisions.

import { isValidDid } from '@atproto/syntax'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import type { Db } from '../../../data/store/db.ts'
import type { ModerationAct } from '../../../data/store/moderation/moderation-log.ts'
import {
  blobSubject,
  findTakedown,
  takedownRefs,
} from '../../../data/store/moderation/takedowns.ts'
import { prepareTags } from '../../../data/store/read/moderation/moderation-tags.ts'
import { prepareTakedowns } from '../../../data/store/read/moderation/takedowns.ts'
import { ActorInfoSchema, RecordSchema } from '../generated/bsky-pb.ts'
import type { Reading } from '../reading/reading.ts'
import { encode, joined } from '../wire/encoded.ts'
import type { RecordInit, Rpcs } from '../wire/messages.ts'
import { didOf, unfit, uriOf } from './mutes.ts'

/** The reference's name for a takedown without a ref. */
const UNNAMED = 'TAKEDOWN'
const BY = 'the official AppView'
const NONE: ReadonlyMap<string, never> = new Map<string, never>()

/** Records that are part of an account's information. */
const presentedWith = {
  profile: 'app.bsky.actor.profile',
  statusRecord: 'app.bsky.actor.status',
  germRecord: 'com.germnetwork.declaration',
} as const

const selfUri = (did: string, collection: string) => `at://${did}/${collection}/self`

export function createHidden({ db, memory }: Pick<Reading, 'db' | 'memory'>) {
  const reader = prepareTakedowns(db)
  const tags = prepareTags(db)

  /** Returns the refs of takedowns by subject, a DID or at-URI, for hidden subjects only. */
  function refs(subjects: readonly string[]): ReadonlyMap<string, string> {
    if (!memory.isAny('hidden', reader.isAnything)) return NONE
    const found = takedownRefs(db, subjects)
    return new Map(Array.from(found, ([subject, ref]) => [subject, ref || UNNAMED]))
  }

  const tagsOf = (subjects: readonly string[]): ReadonlyMap<string, string[]> =>
    memory.isAny('tagged', tags.isAny) ? tags.of(subjects) : NONE

  return {
    refs,
    /** Marks hidden records as taken down. */
    marked<T extends RecordInit>(
      uris: readonly string[],
      records: readonly T[],
    ): (T | RecordInit)[] {
      const hidden = refs(uris)
      if (hidden.size === 0) return [...records]
      return records.map((record, i) => {
        const takedownRef = hidden.get(uris[i]!)
        return takedownRef === undefined ? record : { ...record, takenDown: true, takedownRef }
      })
    },
    /** Like `marked`, for encoded records. */
    markedBytes(uris: readonly string[], records: readonly Uint8Array[]): readonly Uint8Array[] {
      const hidden = refs(uris)
      if (hidden.size === 0) return records
      return records.map((record, i) => {
        const takedownRef = hidden.get(uris[i]!)
        if (takedownRef === undefined) return record
        return joined(record, encode(RecordSchema, { takenDown: true, takedownRef }))
      })
    },
    /** Adds tags to the records that have any. */
    taggedBytes(uris: readonly string[], records: readonly Uint8Array[]): readonly Uint8Array[] {
      const found = tagsOf(uris)
      if (found.size === 0) return records
      return records.map((record, i) => {
        const its = found.get(uris[i]!)
        return its ? joined(record, encode(RecordSchema, { tags: its })) : record
      })
    },
    /**
     * Fields to append to each account: takedown marks of hidden records that are shown with it.
     */
    hiddenOfActors(dids: readonly string[]): readonly (Uint8Array | undefined)[] {
      const uris = dids.flatMap((did) =>
        Object.values(presentedWith).map((name) => selfUri(did, name)),
      )
      const found = refs(uris)
      if (found.size === 0) return []
      return dids.map((did) => marksOf(did, found))
    },
    /** Fields to append to each account: its tags, and its profile's. */
    tagsOfActors(dids: readonly string[]): readonly (Uint8Array | undefined)[] {
      const profiles = dids.map((did) => selfUri(did, presentedWith.profile))
      const found = tagsOf([...dids, ...profiles])
      if (found.size === 0) return []
      return dids.map((did, i) => {
        const [own, profile] = [found.get(did), found.get(profiles[i]!)]
        if (!own && !profile) return undefined
        return encode(ActorInfoSchema, { tags: own ?? [], profileTags: profile ?? [] })
      })
    },
  }
}

/** Undefined: none of the account's records is hidden. */
function marksOf(did: string, hidden: ReadonlyMap<string, string>): Uint8Array | undefined {
  const marks = Object.entries(presentedWith).flatMap(([field, name]) => {
    const takedownRef = hidden.get(selfUri(did, name))
    return takedownRef === undefined ? [] : [[field, { takenDown: true, takedownRef }]]
  })
  return marks.length > 0 ? encode(ActorInfoSchema, Object.fromEntries(marks)) : undefined
}

export function moderationRpcs(reading: Reading): Rpcs {
  const { db } = reading
  const stateOf = (subject: string) => {
    const takedownRef = refOf(db, subject)
    return { takenDown: takedownRef !== undefined, takedownRef: takedownRef ?? '' }
  }
  const decide = async (act: ModerationAct, subject: string, ref = '') => {
    const named = act === 'hide' ? ref || UNNAMED : ref
    await reading.ingest
      .operate({ kind: 'moderate', act, subject, by: BY, reason: named, ref: named })
      .catch((error: Error) => {
        throw error.name === 'ModerationError' ? unfit(error.message) : error
      })
    return {}
  }
  const blob = ({ did, cid }: { did: string; cid: string }) => {
    if (!/^b[a-z2-7]{20,100}$/.test(cid)) throw unfit('not a valid cid')
    return blobSubject(didOf(did), cid)
  }
  return {
    getActorTakedown: ({ did }) => (isValidDid(did) ? stateOf(did) : {}),
    getRecordTakedown: ({ recordUri }) => (parseRecordUri(recordUri) ? stateOf(recordUri) : {}),
    getBlobTakedown: ({ did, cid }) => stateOf(blobSubject(did, cid)),
    takedownActor: ({ did, ref }) => decide('hide', didOf(did), ref),
    takedownRecord: ({ recordUri, ref }) => decide('hide', uriOf(recordUri), ref),
    takedownBlob: ({ did, cid, ref }) => decide('hide', blob({ did, cid }), ref),
    untakedownActor: ({ did }) => decide('show', didOf(did)),
    untakedownRecord: ({ recordUri }) => decide('show', uriOf(recordUri)),
    untakedownBlob: ({ did, cid }) => decide('show', blob({ did, cid })),
  }
}

function refOf(db: Db, subject: string): string | undefined {
  const row = findTakedown(db, subject)
  return row && (row.ref || UNNAMED)
}
