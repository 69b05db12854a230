// app.bsky.labeler.getServices: labelers with the policies of their current records.

import { afterEach, expect, test } from 'vitest'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'

type View = {
  $type: string
  uri: string
  creator: { did: string }
  labels: { val: string }[]
  likeCount: number
  viewer?: { like?: string }
  policies?: { labelValues: string[] }
}
type Answer = { views: View[] }

const NSID = 'app.bsky.labeler.getServices'
const SERVICE = 'app.bsky.labeler.service'

let world: ServingWorld

afterEach(() => world.dispose())

function createLabeler(labelValues: string[]): string {
  world = createServingWorld({ members: ['alice'] })
  const labeler = world.account('labeler')
  world.follow(world.account('alice'), labeler)
  publish(labeler, labelValues)
  return labeler
}

function publish(did: string, labelValues: string[], operation?: 'update'): void {
  const labels = { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'adult' }] }
  const record = { policies: { labelValues }, labels, createdAt: world.isoNow() }
  world.write({ did, collection: SERVICE, record, rkey: 'self', ...(operation && { operation }) })
}

test('returns policies only in detailed views', async () => {
  const labeler = createLabeler(['rude', 'spoiler'])
  const alice = world.account('alice')
  const short = await world.get<Answer>(NSID, { dids: [labeler] }, alice)
  expect(short.views).toMatchObject([
    {
      $type: 'app.bsky.labeler.defs#labelerView',
      uri: `at://${labeler}/${SERVICE}/self`,
      creator: { did: labeler },
      labels: [{ val: 'adult' }],
      likeCount: 0,
      viewer: {},
    },
  ])
  expect(short.views[0]).not.toHaveProperty('policies')
  const { views } = await world.get<Answer>(NSID, { dids: [labeler], detailed: true })
  expect(views[0]).toMatchObject({
    $type: 'app.bsky.labeler.defs#labelerViewDetailed',
    policies: { labelValues: ['rude', 'spoiler'] },
  })
  expect(views[0]).not.toHaveProperty('viewer')
})

test('follows changes and deletion of the record', async () => {
  const labeler = createLabeler(['rude'])
  const ask = () => world.get<Answer>(NSID, { dids: [labeler], detailed: true })
  publish(labeler, ['kind'], 'update')
  expect((await ask()).views[0]!.policies!.labelValues).toEqual(['kind'])
  world.delete(`at://${labeler}/${SERVICE}/self`)
  expect((await ask()).views).toEqual([])
})

test('leaves out accounts that are no labelers, and requests their record for a member', async () => {
  const labeler = createLabeler(['rude'])
  const [alice, nobody] = [world.account('alice'), world.account('nobody')]
  const { views } = await world.get<Answer>(NSID, { dids: [nobody, labeler] }, alice)
  expect(views.map(({ creator }) => creator.did)).toEqual([labeler])
  await new Promise(setImmediate)
  expect(world.sent).toContainEqual({
    kind: 'fetch-requested',
    did: alice,
    uris: [`at://${nobody}/${SERVICE}/self`],
    dids: [],
  })
})
