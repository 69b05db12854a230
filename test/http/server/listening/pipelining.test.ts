// A client that sends thousands of requests without waiting for answers is disconnected at little cost: the
// test counts requests begun and parsed, not time. And what is answered is forgotten.

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { listenOn, startHttp } from '../../../../src/http/server/listening/listener.ts'
import { until } from '../../../support/eventually.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('of two thousand requests at once, a few are begun, and no more are parsed', async () => {
  let begun = 0
  const { http } = startHttp(() => begun++, { threads: 1, isProxy: () => false })
  let parsed = 0
  http.on('request', (request) => {
    parsed++
    request.on('error', () => undefined)
  })
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(2_000))
  await new Promise((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => http.close(resolve))
  expect(begun).toBeLessThan(20)
  expect(parsed).toBeLessThan(20)
})

test('an idle connection keeps neither its last request nor its response', async () => {
  const seen: WeakRef<object>[] = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    seen.push(new WeakRef(request), new WeakRef(response))
    response.end('done')
  }
  const { http } = startHttp(answer, { threads: 1, isProxy: () => false })
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1')
  for (let i = 0; i < 3; i++) {
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
  }
  await until(() => {
    collectGarbage()
    return seen.every((weakRef) => weakRef.deref() === undefined)
  })
  expect(seen).toHaveLength(6)
  expect(socket.readyState).toBe('open')
  socket.destroy()
  await new Promise((resolve) => http.close(resolve))
})
