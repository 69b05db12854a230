// A process's push metrics at /metrics, after a push caused by a like.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, until } from '../../support/eventually.ts'
import { type PushReceiver, startPushReceiver } from '../../support/push-receiver.ts'
import { cidOf } from '../../support/records.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import { startTimelinesProcess, type TimelinesProcess } from '../../support/timelines-process.ts'

const REGISTER = 'app.bsky.notification.registerPush'

let slipstream: TimelinesProcess
let receiver: PushReceiver

beforeAll(async () => {
  receiver = await startPushReceiver()
  slipstream = await startTimelinesProcess(['ann', 'bob'], {
    PUSH_SERVICES: receiver.host,
    METRICS: 'open',
  })
  await slipstream.start()
  await until(() => slipstream.double.openConnections() > 0)
})
afterAll(async () => {
  await slipstream.close()
  await receiver.close()
})

/** A machine tried out at home has no https address for push services to contact its operator. */
async function register(): Promise<void> {
  const document = await fetch(`${slipstream.origin()}/.well-known/did.json`)
  const { id: us } = (await document.json()) as { id: string }
  const { did, keypair } = slipstream.accountOf('ann')
  const token = await signServiceJwt(keypair, { iss: did, aud: us, lxm: REGISTER })
  const body = { serviceDid: us, token: receiver.subscribe(), platform: 'web', appId: 'test' }
  const answer = await slipstream.ask('POST', `/xrpc/${REGISTER}`, { token, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

async function pushes(outcome: string): Promise<string | undefined> {
  const text = await (await fetch(`${slipstream.origin()}/metrics`)).text()
  return new RegExp(`^slipstream_pushes_total\\{outcome="${outcome}"\\} (.*)$`, 'm').exec(text)?.[1]
}

function like(post: string): void {
  const uri = `at://${slipstream.didOf('ann')}/app.bsky.feed.post/${post}`
  slipstream.emit('bob', 'app.bsky.feed.like', { subject: { uri, cid: cidOf(uri) } })
}

test('pushes are counted by outcome', async () => {
  await register()
  expect(await pushes('sent')).toBe('0')
  like(slipstream.emit('ann', 'app.bsky.feed.post', { text: 'one' }))
  await until(() => receiver.received.length > 0)
  await eventually(async () => expect(await pushes('sent')).toBe('1'), { pollMs: 500 })
  expect([await pushes('gone'), receiver.received.length]).toEqual(['0', 1])
})
