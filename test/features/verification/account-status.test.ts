// What counts of an account that is said to be away where the directory was asked too often to be asked again.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createConfirm } from '../../../src/features/verification/account-status.ts'
import type { AccountFrame } from '../../../src/features/verification/firehose/frame.ts'
import { createGuardedFetch } from '../../../src/sources/identity/guarded-fetch.ts'
import { createResolver, type Resolver } from '../../../src/sources/identity/resolver.ts'
import { type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'

/** More than are made for one account in a minute. */
const LOOKUPS = 5
const fetch = createGuardedFetch({ allowPrivateHosts: true })
let answer: object
let plc: PlcDouble
let resolver: Resolver
let did: string
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ did, ...answer }))
})

beforeEach(async () => {
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const pds = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  plc = await startPlcDouble()
  did = (await plc.create({ handle: 'moved.example', pds })).did
  resolver = createResolver({ fetch, plcUrl: plc.url, allowPrivateHosts: true })
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await plc.close()
})

async function said(status: AccountFrame['status']) {
  for (let i = 0; i < LOOKUPS; i++) await resolver.resolve(did, { forceRefresh: true })
  const timeUs = Date.now() * 1000
  const frame: AccountFrame = { kind: 'account', did, seq: 1, timeUs, active: false, status }
  const { events, isIncomplete } = await createConfirm({ fetch, resolver })(frame)
  const [event] = events as AccountFrame[]
  return { active: event!.active, status: event!.status, isIncomplete }
}

test('it is there, if the server that the directory named last says so; later it is compared', async () => {
  answer = { active: true }
  expect(await said('deactivated')).toEqual({ active: true, status: undefined, isIncomplete: true })
})

test('what was said counts where that server says nothing else, and nothing is removed', async () => {
  answer = { active: false, status: 'deactivated' }
  const away = { active: false, status: 'deactivated', isIncomplete: true }
  expect(await said('deleted')).toEqual(away)
})
