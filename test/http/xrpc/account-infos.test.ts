// com.atproto.admin.getAccountInfos: what Ozone asks about the accounts of its queue.

import type { ComAtprotoAdminGetAccountInfos } from '@atproto/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const NSID = 'com.atproto.admin.getAccountInfos'
const TOKEN = 'a token of the operator, 0123456789'
const authorization = `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`
const [alice, bob, gone] = ['alice', 'bob', 'gone'].map(didOf) as [string, string, string]

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice'], operatorToken: TOKEN })
  w.profile(alice, { displayName: 'Alice' })
  w.profile(bob)
})
afterEach(() => w.dispose())

test('answers with handle and profile record of accounts that are here, also taken down', async () => {
  w.run((ctx) => decide(ctx, { act: 'hide', subject: bob, by: 'tester', reason: 'a test' }))
  const dids = [alice, bob, gone, alice]
  const { status, body } = await w.ask<ComAtprotoAdminGetAccountInfos.OutputSchema>(
    ...[NSID, { dids }, undefined, { authorization }],
  )
  expect(status).toBe(200)
  const { infos } = body
  expect(infos.map(({ did }) => did)).toEqual([alice, bob])
  expect(infos[0]).toMatchObject({ relatedRecords: [{ displayName: 'Alice' }] })
  for (const { handle, indexedAt } of infos) {
    expect(handle).toContain('.')
    expect(Date.parse(indexedAt)).toBeGreaterThan(0)
  }
})

test('is for moderators', async () => {
  expect((await w.ask(NSID, { dids: [alice] })).status).toBe(401)
})
