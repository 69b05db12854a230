// What is labelled: each value on an account, a profile, a status, a post, a list and a feed generator of somebody
// else, by one of two labelers or by the author, as it stands, for one version, withdrawn, expired or expiring.

import { Database } from '@atproto/bsky'
import { expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { LabelerDouble } from '../../support/labeler-double.ts'
import type { Ref } from '../support/account.ts'

/** Values that the library defines, and one that it no longer knows. */
const KNOWN = ['porn', 'sexual', 'nudity', 'graphic-media', 'gore', '!hide', '!warn']
const FOR_SERVERS = ['!no-unauthenticated', '!takedown', 'needs-review', 'impersonation']

const definition = (
  identifier: string,
  severity: string,
  blurs: string,
  more: { adultOnly?: boolean; defaultSetting?: string } = {},
) => ({
  identifier,
  severity,
  blurs,
  ...more,
  locales: [{ lang: 'en', name: identifier, description: `what is ${identifier}` }],
})

/** Those that the labelers define themselves. */
export const definitions = [
  definition('spam', 'inform', 'content', { defaultSetting: 'hide' }),
  definition('rude', 'alert', 'none', { defaultSetting: 'warn' }),
  definition('lewd', 'none', 'media', { adultOnly: true, defaultSetting: 'ignore' }),
  definition('scam', 'alert', 'content', { adultOnly: true }),
  // Its definition is stronger than the library's own.
  definition('nudity', 'alert', 'content', { defaultSetting: 'hide' }),
]

export const labelValues = [
  ...KNOWN,
  ...FOR_SERVERS,
  ...definitions.map(({ identifier }) => identifier),
  'never-defined',
]

const HOUR_MS = 3_600_000

/** How a label stands; the reference reads a withdrawn one as a row. */
export const states = ['plain', 'of-version', 'withdrawn', 'expired', 'expiring'] as const
type State = (typeof states)[number]

type Label = { uri: string; val: string; cid?: string; exp?: string; neg?: boolean; cts: string }
type Labelled = { labeler: LabelerDouble; label: Label }

export type Labelling = {
  add: (subject: string | Ref, val: string, state?: State) => void
  /** Sends all of them, ours over the labelers' streams, and the reference's into its table. */
  send: (postgresUrl: string) => Promise<void>
}

/** @param labelers - take turns, so that each value and state comes from each of them */
export function createLabelling(labelers: readonly LabelerDouble[]): Labelling {
  const all: Labelled[] = []

  function add(subject: string | Ref, val: string, state: State = 'plain'): void {
    const [uri, cid] = typeof subject === 'string' ? [subject] : [subject.uri, subject.cid]
    const now = Date.now()
    const timed = {
      expired: { exp: new Date(now - HOUR_MS).toISOString() },
      expiring: { exp: new Date(now + HOUR_MS).toISOString() },
    }
    const label = {
      uri,
      val,
      cts: new Date(now - 2 * HOUR_MS + all.length).toISOString(),
      ...(state === 'of-version' && cid && { cid }),
      ...timed[state as keyof typeof timed],
    }
    const labeler = labelers[all.length % labelers.length]!
    all.push({ labeler, label })
    if (state !== 'withdrawn') return
    const later = new Date(now - HOUR_MS + all.length).toISOString()
    all.push({ labeler, label: { ...label, neg: true, cts: later } })
  }

  return {
    add,
    async send(postgresUrl) {
      await eventually(() => {
        for (const { connections } of labelers) expect(connections.length).toBeGreaterThan(0)
      })
      for (const { labeler, label } of all) await labeler.say(label)
      await writeRows(postgresUrl, all)
    },
  }
}

/**
 * As the service does that fills this table of the reference: the newest label of a key. There, a
 * labeler has to be an account; these have no repository.
 */
async function writeRows(postgresUrl: string, all: readonly Labelled[]): Promise<void> {
  const db = new Database({ url: postgresUrl, schema: 'bsky', poolSize: 1 })
  const rows = all.map(({ labeler, label: { cid = '', neg = false, exp = null, ...rest } }) => {
    return { src: labeler.did, cid, neg, exp, ...rest } as Row
  })
  for (const did of new Set(all.map(({ labeler }) => labeler.did))) {
    const account = { did, handle: null, indexedAt: new Date().toISOString() }
    await db.db.insertInto('actor').values(account).execute()
  }
  for (const row of rows) {
    await db.db
      .insertInto('label')
      .values(row)
      .onConflict((on) => on.columns(['src', 'uri', 'cid', 'val']).doUpdateSet(row))
      .execute()
  }
  await db.close()
}

type Row = {
  src: string
  uri: string
  cid: string
  val: string
  neg: boolean
  cts: string
  exp: string | null
}
