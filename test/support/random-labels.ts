// Random labels by a few labelers, on any subject, and on their own records by their authors; and who of these
// labelers a request names.

import type { StreamEvent } from '@slipstream/jetstream'
import type { Labelers } from '../../src/base/atproto/labelers.ts'
import { applyLabels } from '../../src/ingest/indexing/moderation/label.ts'
import type { Random } from './random.ts'
import { cidOf } from './records.ts'
import type { World } from './world.ts'

const LABELERS = ['person-2', 'person-3']

/** By few labelers, on any subject, and often negated. */
export function labelSomething(world: World, random: Random): void {
  const src = world.account(random.pick(LABELERS))
  const written = world.sent.filter(
    (event) => event.kind === 'commit' && event.operation === 'create',
  ) as (StreamEvent & { kind: 'commit' })[]
  const { did, collection, rkey } = random.pick(written)
  const record = `at://${did}/${collection}/${rkey}`
  const uri = random.pick([did, `at://${did}/app.bsky.actor.profile/self`, record, record, record])
  const isVisible = random.chance(0.6)
  const val = random.pick(isVisible ? ['rude', 'spam', 'grob ☕'] : ACTED_UPON)
  const cts = new Date(world.now()).toISOString()
  const exp = random.chance(0.1) ? random.pick(['2020-01-01T00:00:00Z', IN_A_CENTURY]) : undefined
  const cid = random.chance(0.2) ? cidOf(uri) : undefined
  const label = { uri, val, cts, neg: random.chance(isVisible ? 0.3 : 0.6), cid, exp }
  if (world.uid(src) !== 0) world.run((ctx) => applyLabels(ctx, src, [label]))
}

const ACTED_UPON = ['!takedown', '!suspend', '!no-unauthenticated', 'impersonation', 'needs-review']
export const IN_A_CENTURY = '2126-01-01T00:00:00.000Z'

/** Covers what surrounds labels in the bytes: non-ASCII text, and self-labels. */
export function labelThemselves(world: World, random: Random): void {
  const did = world.account(`person-${random.below(9)}`)
  const values = ['rude', 'porn', '!no-unauthenticated'].filter(() => random.chance(0.4))
  const labels = {
    $type: 'com.atproto.label.defs#selfLabels',
    values: values.map((val) => ({ val })),
  }
  if (random.chance(0.3)) world.profile(did, { displayName: 'Zoë ☕', labels })
  else if (random.chance(0.5)) world.post(did, { text: 'ein größerer ☕', more: { labels } })
  else
    world.post(did, {
      text: '☕☕',
      quote: world.post(did, { text: 'zitiert: ☕', more: { labels } }),
    })
}

export function someLabelers(world: World, random: Random): Labelers {
  const dids = LABELERS.map(world.account).filter(() => random.chance(0.5))
  return { dids, redact: new Set(dids.filter(() => random.chance(0.7))) }
}
