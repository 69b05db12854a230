// Requests that Node cannot parse, over real sockets: each gets one answer in the usual form of a refusal,
// and never in the middle of another answer.

import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenOn, startHttp } from '../../../../src/http/server/listening/listener.ts'

async function connected(answer: RequestListener) {
  const { http } = startHttp(answer, { threads: 1, isProxy: () => false })
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  onTestFinished(() => void http.close())
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const closed = once(socket, 'close')
  const all = async () => {
    await closed
    return Buffer.concat(chunks).toString()
  }
  return { socket, all }
}

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n'
const BROKEN = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'

test.each([
  ['not HTTP', 'hello\r\n\r\n', 400, 'InvalidRequest'],
  [
    'two content lengths',
    `${GET}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
    400,
    'InvalidRequest',
  ],
  [
    'a header of 20 kB',
    `${GET}x: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'RequestHeaderFieldsTooLarge',
  ],
  ['a chunk without a valid length', BROKEN, 400, 'InvalidRequest'],
])('%s', async (_what, text, status, error) => {
  const { socket, all } = await connected(() => undefined)
  socket.write(text)
  const [head, body] = (await all()).split('\r\n\r\n') as [string, string]
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('access-control-allow-origin: *')
  expect(head).toContain(`content-length: ${Buffer.byteLength(body)}`)
  expect(JSON.parse(body)).toEqual({ error, message: expect.stringMatching(/./) })
})

test.each([
  ['has begun', BROKEN, (response: ServerResponse) => response.write('first')],
  ['waits for another', `${GET}\r\n${BROKEN}`, () => undefined],
])('writes nothing into an answer that %s', async (_what, text, answer) => {
  const begun = Promise.withResolvers<void>()
  const { socket, all } = await connected((_request, response) => {
    answer(response)
    begun.resolve()
  })
  const broken = text.length - 'zz\r\n'.length
  socket.write(text.slice(0, broken))
  await begun.promise
  socket.write(text.slice(broken))
  expect(await all()).not.toContain('InvalidRequest')
})
