// What a decision is about, for people: an account's handle, and the beginning of a post's text.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { Db } from '../../data/store/db.ts'
import { createRecords } from '../../data/store/read/records/records-by-key.ts'
import { findActor, uidOfDid } from '../../data/store/records/actors.ts'

const MAX_WORDS = 80

/** Undefined if nothing is known here. */
export function createSubjectWords(db: Db): (subject: string) => string | undefined {
  const records = createRecords(db)

  function handleOf(did: string): string | undefined {
    const uid = uidOfDid(db, did)
    const actor = uid === undefined ? undefined : findActor(db, uid)
    return actor?.handle_valid === 1 ? (actor.handle ?? undefined) : undefined
  }

  function textOf({ did, collection, rkey }: { did: string; collection: string; rkey: string }) {
    const uid = uidOfDid(db, did)
    const found = uid === undefined ? undefined : records.find({ uid, collection, rkey })
    if (typeof found !== 'object') return undefined
    const { text, name } = found.value as { text?: unknown; name?: unknown }
    const words = [text, name].find((item) => typeof item === 'string' && item !== '')
    return words && `“${shortened(String(words))}”`
  }

  return (subject) => {
    const key = parseRecordUri(subject)
    const words = [handleOf(key?.did ?? subject), key && textOf(key)]
    return words.filter((word) => word).join(': ') || undefined
  }
}

function shortened(text: string): string {
  // Nothing that moves a terminal's cursor.
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim()
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line
}
