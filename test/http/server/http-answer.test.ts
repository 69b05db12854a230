// Answers whose memory is used again once they are sent, to clients that read slowly, pipeline, or leave in the
// middle: every answer that is read to its end is the one that was asked for.

import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { CachedBytes } from '../../../src/answers/views/json/cached-bytes.ts'
import { finishAnswer, resultAnswer, writeAnswer } from '../../../src/http/server/http-answer.ts'
import { NodeQuery } from '../../../src/http/server/http-request.ts'
import { listenOn, startHttp } from '../../../src/http/server/listening/listener.ts'
import { createRandom } from '../../support/random.ts'

const CLIENTS = 60
const PIPELINED = 6
const LENGTHS = [10, 2_000, 20_000, 140_000, 600_000, 1_500_000]
const HEADER_END = '\r\n\r\n'

let http: Server

afterEach(() => new Promise((resolve) => http.close(resolve)))

test.each(['identity', 'gzip'])('nobody reads another answer’s bytes (%s)', async (encoding) => {
  http = startHttp(answerAtLength, { threads: 1, isProxy: () => false }).http
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const random = createRandom(encoding.length)
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const requested = Array.from({ length: PIPELINED }, (_, i) => {
      return { name: client * PIPELINED + i, length: random.pick(LENGTHS) }
    })
    const [leaves, waitMs] = [random.chance(0.3), random.below(80)]
    const socket = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .pause()
    socket.write(requested.map((item) => requestOf(item, encoding)).join(''))
    await setTimeout(waitMs)
    if (leaves) {
      socket.resume()
      await once(socket, 'data')
      socket.destroy()
      return
    }
    const bodies = await readBodies(socket, PIPELINED)
    socket.destroy()
    expect(bodies.map((body) => JSON.parse(textOf(body)))).toEqual(requested.map(contentOf))
  })
  await Promise.all(clients)
})

test('an answer that is kept is compressed once for each encoding in use, and never lent', async () => {
  const text = JSON.stringify(contentOf({ name: 7, length: 20_000 }))
  const cached = new CachedBytes(Buffer.from(text))
  http = startHttp(
    (incoming, response) => {
      const answer = resultAnswer({ body: cached })
      const envelope = { requestId: 'test', isDraining: false }
      const finished = finishAnswer(new NodeQuery(incoming, response), answer, envelope)
      response.setHeader('made', finished instanceof Promise ? 'anew' : 'before')
      void Promise.resolve(finished).then((finishedAnswer) => writeAnswer(response, finishedAnswer))
    },
    { threads: 1, isProxy: () => false },
  ).http
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const seen: string[] = []
  for (const encoding of ['gzip', 'gzip', 'identity', 'br', 'br', 'gzip']) {
    const headers = { 'accept-encoding': encoding }
    const answer = await fetch(`http://127.0.0.1:${port}/`, { headers })
    expect(await answer.text()).toBe(text)
    expect(answer.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding)
    seen.push(answer.headers.get('made')!)
  }
  expect(seen).toEqual(['anew', 'before', 'before', 'anew', 'before', 'anew'])
  expect(cached.plain.toString()).toBe(text)
})

/** Answers `/?name=…&length=…` with the two, and a text of that length made of the name. */
function answerAtLength(incoming: IncomingMessage, response: ServerResponse): void {
  const request = new NodeQuery(incoming, response)
  const query = new URL(incoming.url!, 'http://localhost').searchParams
  const requested = { name: Number(query.get('name')), length: Number(query.get('length')) }
  const answer = resultAnswer({ body: contentOf(requested) })
  const finished = finishAnswer(request, answer, { requestId: 'test', isDraining: false })
  void Promise.resolve(finished).then((finishedAnswer) => writeAnswer(response, finishedAnswer))
}

function contentOf({ name, length }: { name: number; length: number }) {
  return { name, length, text: String.fromCharCode(97 + (name % 26)).repeat(length) }
}

function requestOf({ name, length }: { name: number; length: number }, encoding: string): string {
  return `GET /?name=${name}&length=${length} HTTP/1.1\r\nhost: a\r\naccept-encoding: ${encoding}\r\n\r\n`
}

function textOf(body: Buffer): string {
  const isZipped = body[0] === 0x1f && body[1] === 0x8b
  return (isZipped ? gunzipSync(body) : body).toString()
}

async function readBodies(socket: Socket, count: number): Promise<Buffer[]> {
  const bodies: Buffer[] = []
  let received = Buffer.alloc(0)
  for await (const chunk of socket.resume()) {
    received = Buffer.concat([received, chunk as Buffer])
    for (let body = bodyAt(received); body; body = bodyAt(received)) {
      bodies.push(body.bytes)
      received = received.subarray(body.end)
    }
    if (bodies.length === count) return bodies
  }
  throw new Error(`the connection ended after ${bodies.length} answers`)
}

function bodyAt(received: Buffer): { bytes: Buffer; end: number } | undefined {
  const headerEnd = received.indexOf(HEADER_END)
  if (headerEnd < 0) return undefined
  const [, length] = /content-length: (\d+)/i.exec(received.toString('latin1', 0, headerEnd)) ?? []
  const start = headerEnd + HEADER_END.length
  const end = start + Number(length)
  return received.length < end ? undefined : { bytes: received.subarray(start, end), end }
}
