// Hands on the labels that tests write into the reference's Postgres: to the stand-in of their source (labels.ts).

import type { TestBsky } from '@atproto/dev-env'
import { createServiceJwt } from '@atproto/xrpc-server'
import type { Tables } from './clear.ts'
import { EXAMPLE, type Labeler, type Labelers } from './labels.ts'
import type { Ours } from './slipstream.ts'
import { until } from './until.ts'

type Label = {
  src: string
  uri: string
  cid: string
  val: string
  neg: boolean
  cts: string
  exp: string | null
}

type Dependencies = { bsky: TestBsky; db: Tables; ours: Ours; labelers: Labelers }

/** @returns a function that hands on what has changed since */
export function createLabelMirror(parts: Dependencies): () => Promise<void> {
  const { db, labelers } = parts
  const reported = new Map<string, Label>()

  async function changes(): Promise<Label[]> {
    const rows: Label[] = await db.selectFrom('label').selectAll().execute()
    const now = new Map(rows.map((row) => [keyOf(row), row]))
    const changed: Label[] = []
    for (const [key, row] of now) {
      const before = reported.get(key)
      if (!before || before.neg !== row.neg || before.cts !== row.cts) changed.push(row)
    }
    for (const [key, row] of reported) {
      if (!now.has(key) && !row.neg)
        changed.push({ ...row, neg: true, cts: new Date().toISOString() })
    }
    return changed
  }

  async function say(label: Label): Promise<void> {
    const { src, uri, val, neg, cts, exp, cid } = label
    if (neg) reported.delete(keyOf(label))
    else reported.set(keyOf(label), label)
    const labeler = await labelers.of(src)
    await labeler.say({
      uri,
      val,
      cts,
      ...(neg && { neg }),
      ...(exp && { exp }),
      ...(cid && { cid }),
    })
  }

  return async () => {
    const changed = await changes()
    const sources = new Set(changed.map(({ src }) => src))
    const isNew = [...sources].some((source) => !labelers.isStanding(source))
    for (const source of sources) await labelers.of(source)
    // It has read the former documents of these sources.
    if (isNew) await parts.ours.restart({})
    for (const source of sources) await follow(parts, source)
    for (const label of changed) await say(label)
    for (const label of changed.filter(isLasting)) {
      await until(async () => (await isInForce(parts, label)) === !label.neg)
    }
  }
}

function keyOf({ src, uri, val }: Label): string {
  return `${src} ${uri} ${val}`
}

function isLasting({ exp }: Label): boolean {
  return exp === null || Date.parse(exp) > Date.now()
}

async function isInForce(
  { bsky, labelers }: Dependencies,
  { src, uri, val }: Label,
): Promise<boolean> {
  const { did } = await labelers.of(src)
  const { labels } = await bsky.ctx.dataplane.getLabels({ subjects: [uri], issuers: [did] })
  return labels.some((bytes: Uint8Array) => {
    const label = JSON.parse(Buffer.from(bytes).toString())
    return label.val === val && !label.neg
  })
}

/** Names the source in a member's request, as that follows its stream, and waits until it does. */
async function follow({ bsky, ours, labelers }: Dependencies, source: string): Promise<void> {
  const labeler: Labeler = await labelers.of(source)
  if (source === EXAMPLE || labeler.connections.length > 0) return
  const { serverDid } = bsky
  const method = 'app.bsky.actor.getProfile'
  const keypair = bsky.ctx.signingKey
  const token = await createServiceJwt({ iss: serverDid, aud: serverDid, lxm: method, keypair })
  await fetch(`${ours.origin}/xrpc/${method}?actor=${serverDid}`, {
    headers: { authorization: `Bearer ${token}`, 'atproto-accept-labelers': source },
  })
  await until(async () => labeler.connections.length > 0)
}
