// Connections to the dataplane's port are for clients with the secret: an HTTP/2 session that never shows it
// is ended.

import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import {
  type DataplaneListener,
  listen,
  type Outgoing,
} from '../../../src/features/dataplane/wire/listener.ts'
import { eventually } from '../../support/eventually.ts'
import { listenerConfig, TOKEN } from './listener-config.ts'

let listener: DataplaneListener | undefined
const sessions: ClientHttp2Session[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy()
  await listener?.close()
})

function open(localAddress = '127.0.0.1'): ClientHttp2Session {
  const { port } = listener!
  const createConnection = () => connectTcp({ host: '127.0.0.1', port, localAddress })
  const session = connect(`http://127.0.0.1:${port}`, { createConnection })
  session.on('error', () => undefined)
  sessions.push(session)
  return session
}

async function ask(session: ClientHttp2Session, token: string): Promise<unknown> {
  const stream = session.request({
    [constants.HTTP2_HEADER_PATH]: '/',
    authorization: `Bearer ${token}`,
  })
  const [headers] = await once(stream, 'response')
  stream.resume()
  return headers[constants.HTTP2_HEADER_STATUS]
}

const answer = (_request: unknown, response: Outgoing) => void response.end('')

test('connections per address are limited; other addresses can still connect', async () => {
  listener = await listen(
    { answer, grpc: () => false },
    { config: listenerConfig, maxOfAddress: 3 },
  )
  const three = [open(), open(), open()]
  for (const session of three) expect(await ask(session, TOKEN)).toBe(200)
  const fourth = open()
  await new Promise((resolve) => fourth.once('close', resolve))
  expect(await ask(open('127.0.0.2'), TOKEN)).toBe(200)
  three[0]!.close()
  await once(three[0]!, 'close')
  await eventually(async () => expect(await ask(open(), TOKEN)).toBe(200))
})

test('a session that shows no secret, or a wrong one, ends; one that showed it stays', async () => {
  listener = await listen(
    { answer, grpc: () => false },
    { config: listenerConfig, secretWithinMs: 300 },
  )
  const good = open()
  expect(await ask(good, TOKEN)).toBe(200)
  const [silent, wrong] = [open(), open()]
  const ended = [once(silent, 'close'), once(wrong, 'close')]
  expect(await ask(wrong, 'wrong')).toBe(401)
  await Promise.all(ended)
  expect(await ask(good, TOKEN)).toBe(200)
})
