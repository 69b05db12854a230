// What tests write straight into the reference's Postgres, and there is a way for here: labels become a labeler's,
// trusted verifiers a setting, tags the operator's, and deletions of private state its accounts'.

import type { TestBsky } from '@atproto/dev-env'
import { clearPrivateState, type Tables } from './clear.ts'
import type { Labelers } from './labels.ts'
import { createLabelMirror } from './mirror-labels.ts'
import type { Ours } from './slipstream.ts'

export type Mirror = {
  /** Hands on what has changed since. */
  bringUp: () => Promise<void>
  /** Deletes private state of every account, as tests do between themselves. */
  clear: (table: string) => Promise<void>
}

/** `db`: the tables themselves, not as tests see them. */
type Dependencies = { bsky: TestBsky; db: Tables; ours: Ours; labelers: Labelers }

export function startMirror(parts: Dependencies): Mirror {
  const steps = [createVerifierMirror(parts), createLabelMirror(parts), createTagMirror(parts)]
  let running = Promise.resolve()

  async function bringUp(): Promise<void> {
    for (const step of steps) await step()
  }

  return {
    bringUp: () => {
      running = running.then(bringUp, bringUp)
      return running
    },
    clear: (table) => clearPrivateState(parts, table),
  }
}

function createVerifierMirror({ db, ours }: Dependencies): () => Promise<void> {
  let verifiers = ''
  return async () => {
    const rows: { did: string }[] = await db
      .selectFrom('actor')
      .select('did')
      .where('trustedVerifier', '=', true)
      .execute()
    const dids = rows
      .map(({ did }) => did)
      .toSorted()
      .join(',')
    if (dids === verifiers) return
    verifiers = dids
    await ours.restart({ SLIPSTREAM_TRUSTED_VERIFIERS: dids })
  }
}

function createTagMirror({ db, ours }: Dependencies): () => Promise<void> {
  const known = new Set<string>()
  return async () => {
    const rows: { uri: string; tags: unknown }[] = await db
      .selectFrom('record')
      .select(['uri', 'tags'])
      .where('tags', 'is not', null)
      .execute()
    for (const { uri, tags } of rows) {
      for (const tag of tagsOf(tags)) {
        if (known.has(`${uri} ${tag}`)) continue
        known.add(`${uri} ${tag}`)
        await ours.operate('moderation', { act: 'tag', subject: uri, tag })
      }
    }
  }
}

function tagsOf(tags: unknown): string[] {
  return typeof tags === 'string' ? JSON.parse(tags) : (tags as string[])
}
