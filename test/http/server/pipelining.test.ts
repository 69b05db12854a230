// A client that sends thousands of requests without waiting for answers is disconnected at little cost: the
// test counts requests begun and stacks captured, not time.

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listenOn, startHttp } from '../../../src/http/server/listener.ts'

test('two thousand requests at once begin a few, and leave no stacks behind', async () => {
  let begun = 0
  const { http } = startHttp(() => begun++, { threads: 1, isProxy: () => false })
  const stacks: string[] = []
  http.on('request', (request) => request.on('error', ({ stack = '' }) => stacks.push(stack)))
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  const { stackTraceLimit } = Error
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(2_000))
  await new Promise((resolve) => socket.once('close', resolve))
  await new Promise((resolve) => http.close(resolve))
  expect(begun).toBeLessThan(20)
  expect(stacks.length).toBeGreaterThan(100)
  expect(stacks.filter((stack) => stack.includes('\n'))).toEqual([])
  expect(Error.stackTraceLimit).toBe(stackTraceLimit)
})
