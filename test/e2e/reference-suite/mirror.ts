// What tests write straight into the reference's Postgres, and there is a way for here: labels become a labeler's,
// trusted verifiers a setting, and tags the operator's.

import type { TestBsky } from '@atproto/dev-env'
import type { ExampleLabeler } from './labels.ts'
import { EXAMPLE } from './labels.ts'
import type { Ours } from './slipstream.ts'

type Label = {
  src: string
  uri: string
  cid: string
  val: string
  neg: boolean
  cts: string
  exp: string | null
}

export type Mirror = {
  /** Hands on what has changed since. */
  bringUp: () => Promise<void>
  /** Deletes private state of every account, as tests do between themselves. */
  clear: (table: string) => Promise<void>
}

const WITHIN_MS = 10_000

export function startMirror({
  bsky,
  ours,
  labeler,
}: {
  bsky: TestBsky
  ours: Ours
  labeler: ExampleLabeler
}): Mirror {
  const { dataplane } = bsky.ctx
  const db = bsky.db.db
  const said = new Map<string, Label>()
  let verifiers = ''
  let running = Promise.resolve()

  async function bringUp(): Promise<void> {
    await mirrorLabels()
    await mirrorVerifiers()
  }

  async function mirrorLabels(): Promise<void> {
    const rows: Label[] = await db
      .selectFrom('label')
      .selectAll()
      .where('src', '=', EXAMPLE)
      .execute()
    const now = new Map(rows.map((row) => [`${row.uri} ${row.val}`, row]))
    const changed: Label[] = []
    for (const [key, row] of now) {
      const before = said.get(key)
      if (!before || before.neg !== row.neg || before.cts !== row.cts) changed.push(row)
    }
    for (const [key, row] of said) {
      if (!now.has(key) && !row.neg)
        changed.push({ ...row, neg: true, cts: new Date().toISOString() })
    }
    for (const row of changed) {
      const { uri, val, neg, cts, exp, cid } = row
      said.set(`${uri} ${val}`, row)
      if (!now.has(`${uri} ${val}`)) said.delete(`${uri} ${val}`)
      await labeler.say({
        uri,
        val,
        cts,
        ...(neg && { neg }),
        ...(exp && { exp }),
        ...(cid && { cid }),
      })
    }
    const last = changed.at(-1)
    if (last) await until(async () => (await isInForce(last)) === !last.neg)
  }

  async function isInForce({ uri, val }: Label): Promise<boolean> {
    const { labels } = await dataplane.getLabels({ subjects: [uri], issuers: [labeler.did] })
    return labels.some((bytes: Uint8Array) => {
      const label = JSON.parse(Buffer.from(bytes).toString())
      return label.val === val && !label.neg
    })
  }

  async function mirrorVerifiers(): Promise<void> {
    const rows = await db
      .selectFrom('actor')
      .select('did')
      .where('trustedVerifier', '=', true)
      .execute()
    const dids = rows
      .map(({ did }: { did: string }) => did)
      .toSorted()
      .join(',')
    if (dids === verifiers) return
    verifiers = dids
    await ours.restart({ SLIPSTREAM_TRUSTED_VERIFIERS: dids })
  }

  return {
    bringUp: () => {
      running = running.then(bringUp, bringUp)
      return running
    },
    async clear(table) {
      for (const { actorDid, namespace, key } of await entriesOf(db, table)) {
        await bsky.ctx.bsyncClient.putOperation({ actorDid, namespace, key, method: DELETE })
      }
    },
  }
}

type Entry = { actorDid: string; namespace: string; key: string }

/** What a table of private state holds, as bsync names it. */
async function entriesOf(db: TestBsky['db']['db'], table: string): Promise<Entry[]> {
  if (table === 'private_data') {
    return db.selectFrom('private_data').select(['actorDid', 'namespace', 'key']).execute()
  }
  const rows = await db
    .selectFrom(table as 'draft')
    .select(['creator', 'key'])
    .execute()
  return rows.map(({ creator, key }) => ({ actorDid: creator, namespace: NAMESPACES[table]!, key }))
}

const DELETE = 3

const NAMESPACES: Record<string, string> = {
  bookmark: 'app.bsky.bookmark.defs#bookmark',
  draft: 'app.bsky.draft.defs#draftWithId',
  activity_subscription: 'app.bsky.notification.defs#subjectActivitySubscription',
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + WITHIN_MS
  while (!(await check().catch(() => false)) && Date.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
