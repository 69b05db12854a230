// Places at the dataplane's port are for whoever shows the secret: a session of HTTP/2 that never does is ended.

import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { afterEach, expect, test } from 'vitest'
import {
  type DataplaneListener,
  listen,
  type Outgoing,
} from '../../../src/http/dataplane/listener.ts'

const TOKEN = 'a secret of some length'

let listener: DataplaneListener | undefined
const sessions: ClientHttp2Session[] = []
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy()
  await listener?.close()
})

function open(): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${listener!.port}`).on('error', () => undefined)
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

test('a session that shows no secret, or a wrong one, ends; one that showed it stays', async () => {
  const config = {
    ...{ dataplaneBind: '127.0.0.1', dataplanePort: 0, dataplaneToken: TOKEN },
    ...{ dataplaneTlsCert: undefined, dataplaneTlsKey: undefined, dataplaneTlsClientCa: undefined },
  }
  const answer = (_request: unknown, response: Outgoing) => void response.end('')
  listener = await listen({ answer, grpc: () => false }, { config, secretWithinMs: 300 })
  const good = open()
  expect(await ask(good, TOKEN)).toBe(200)
  const [silent, wrong] = [open(), open()]
  const ended = [once(silent, 'close'), once(wrong, 'close')]
  expect(await ask(wrong, 'wrong')).toBe(401)
  await Promise.all(ended)
  expect(await ask(good, TOKEN)).toBe(200)
})
