// A body in chunks of a byte ends while Node still reads it, whether or not anyone waits for it.

import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenOn, startHttp } from '../../../../src/http/server/listening/listener.ts'

const HEAD = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'
const SMALL = 50_000
const LARGE = 4_000

/** @returns how many bytes of its body were read when the connection ended, or the answer came */
async function sent(answer: RequestListener, body: string): Promise<number> {
  let read = 0
  const { http } = startHttp(
    (request, response) => {
      request.socket.once('close', () => {
        read = request.socket.bytesRead
      })
      request.on('error', () => undefined)
      answer(request, response)
    },
    { threads: 1, isProxy: () => false },
  )
  onTestFinished(() => void http.close())
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.on('data', () => undefined)
  socket.write(HEAD + body)
  await new Promise((resolve) => socket.once('close', resolve))
  return read
}

const waiting: RequestListener = (request, response) => {
  request.on('data', () => undefined)
  request.on('end', () => response.writeHead(200, { connection: 'close' }).end())
}
const refusing: RequestListener = (_, response) => void response.writeHead(401).end()

test.each([
  ['waited for', waiting],
  ['refused before it is read', refusing],
])('a body that is %s', async (_, answer) => {
  const body = '1\r\na\r\n'.repeat(SMALL)
  expect(await sent(answer, body)).toBeLessThan(body.length / 2)
})

test('a long body in chunks of some size is read to its end', async () => {
  const body = `${`200\r\n${'a'.repeat(512)}\r\n`.repeat(LARGE)}0\r\n\r\n`
  expect(await sent(waiting, body)).toBe(HEAD.length + body.length)
})
