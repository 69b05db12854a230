// The setting in a whole process: with a public AppView named, strangers are shown from there; with none, no
// requests are sent.

import { afterEach, expect, test } from 'vitest'
import { type AppviewDouble, startAppviewDouble } from '../../support/appview-double.ts'
import { plcDid } from '../../support/plc-double.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const stranger = plcDid('a stranger')
let double: AppviewDouble
const running: SlipstreamProcess[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
  await double.close()
})

async function ask(
  fallback: string,
  { actor = stranger, ...settings }: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const slipstream = startSlipstream({
    DATA_DIR: freshDataDir(),
    ...settings,
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: 'http://127.0.0.1:9',
    FALLBACK_APPVIEW: fallback,
    LOG_LEVEL: 'info',
  })
  running.push(slipstream)
  const port = await slipstream.port()
  const url = `http://127.0.0.1:${port}/xrpc/app.bsky.actor.getProfile?actor=${actor}`
  const response = await fetch(url)
  return { status: response.status, body: await response.json() }
}

test('a named public AppView is asked about strangers, and with none no requests are sent', async () => {
  double = await startAppviewDouble()
  const profile = { did: stranger, handle: 'stranger.test', followersCount: 12_345 }
  double.answer('app.bsky.actor.getProfile', profile)
  const [named, none] = await Promise.all([ask(double.origin), ask('none')])
  expect(named).toMatchObject({ status: 200, body: profile })
  // No directory can be reached here, so whether the account exists can't be told.
  expect(none.status).toBe(503)
  expect(double.asked.map(({ query }) => query)).toEqual([{ actor: stranger }])
})

test('it is asked for earlier counts, and they disappear with it', async () => {
  double = await startAppviewDouble()
  const member = plcDid('a member')
  double.answer('app.bsky.actor.getProfiles', ({ actors }: { actors: string }) => ({
    profiles: [{ did: actors, handle: 'member.test', followersCount: 77, postsCount: 3 }],
  }))
  const settings = { actor: member, MEMBERS: member, DATA_DIR: freshDataDir() }
  const named = await ask(double.origin, settings)
  expect(named.body).toMatchObject({ did: member, followersCount: 77, postsCount: 3 })
  await running.pop()!.stop()
  const none = await ask('none', settings)
  expect(none.body).toMatchObject({ did: member, followersCount: 0, postsCount: 0 })
  expect(double.asked.map(({ nsid, query }) => [nsid, query])).toEqual([
    ['app.bsky.actor.getProfiles', { actors: member }],
  ])
})
