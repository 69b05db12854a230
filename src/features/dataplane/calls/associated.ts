// Articles and publications of standard.site, which link cards name: those that a post here names, in the versions that
// posts name. `ByURI` answers the last of them to arrive, and an article's publication with it.

import {
  type AssociatedCollection,
  associatedCollections,
  collectionCodes,
} from '../../../base/atproto/collections.ts'
import { tidTimeMs } from '../../../base/atproto/tid.ts'
import { parseJson } from '../../../base/util/json-object.ts'
import type { Reading } from '../reading/reading.ts'
import { keysOf } from '../wire/keys.ts'
import { bounded, type RecordInit, type Rpcs, toRecord } from '../wire/messages.ts'
import { createHidden } from './moderation.ts'

type Version = { ref: { uri: string; cid: string }; record: RecordInit; site: string | undefined }

export function associatedRpcs(reading: Reading): Rpcs {
  const hidden = createHidden(reading)
  const answer = (of: (name: AssociatedCollection) => readonly Version[]) => {
    const marked = (name: AssociatedCollection) => {
      const versions = of(name)
      const uris = versions.map(({ ref }) => ref.uri)
      const records = hidden.marked(
        uris,
        versions.map(({ record }) => record),
      )
      return versions.map(({ ref }, i) => ({ ref, record: records[i]! }))
    }
    return {
      documents: marked('site.standard.document'),
      publications: marked('site.standard.publication'),
    }
  }
  return {
    getSiteStandardRecordsByURI({ uris }: { uris: string[] }) {
      const documents = latest(reading, bounded(uris), 'site.standard.document')
      const named = [...uris, ...documents.flatMap(({ site }) => site ?? [])]
      const publications = latest(reading, [...new Set(named)], 'site.standard.publication')
      return answer((name) => (name === 'site.standard.document' ? documents : publications))
    },
    getSiteStandardRecordsByRef({ refs }: { refs: { uri: string; cid: string }[] }) {
      const wanted = new Set(bounded(refs).map(({ uri, cid }) => `${uri} ${cid}`))
      const uris = [...new Set(refs.map(({ uri }) => uri))]
      return answer((name) =>
        versionsOf(reading, uris, name)
          .flat()
          .filter(({ ref }) => wanted.has(`${ref.uri} ${ref.cid}`)),
      )
    },
  }
}

function latest(
  reading: Reading,
  uris: readonly string[],
  collection: AssociatedCollection,
): Version[] {
  return versionsOf(reading, uris, collection).flatMap((versions) => versions.at(-1) ?? [])
}

/** For each record, its versions here in the order of their arrival. */
function versionsOf(
  { actors, associated }: Reading,
  uris: readonly string[],
  collection: AssociatedCollection,
): Version[][] {
  return keysOf(actors, uris, collection).map(({ uri, uid, rkey }) =>
    associated
      .complete(uid, collectionCodes[collection], rkey)
      .map(({ cid, rev, record: json }) => ({
        ref: { uri, cid },
        // Such records say when they were published, not when they were made.
        record: toRecord({ json, cid, sortAt: rev === null ? 0 : tidTimeMs(rev) }),
        site: siteOf(json),
      })),
  )
}

/** The at-URI of an article's publication. */
function siteOf(json: string): string | undefined {
  const { site } = (parseJson(json) ?? {}) as { site?: unknown }
  const isPublication = typeof site === 'string' && site.includes(`/${associatedCollections[1]}/`)
  return isPublication ? site : undefined
}
