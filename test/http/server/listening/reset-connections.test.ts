// A connection reset before it was accepted has no address, and connections without one count as our own. So
// requests sent over it are not answered, because answers would cost only us.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listenOn, startHttp } from '../../../../src/http/server/listening/listener.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** Blocks until the other process ends, so that this one can't accept the connections. */
function resetWhileWaiting(port: number, count: number): void {
  const program = `
    const { connect } = require('node:net')
    for (let i = 0; i < ${count}; i++) {
      const socket = connect(${port}, '127.0.0.1', () => {
        socket.write(${JSON.stringify(REQUEST)}, () => socket.resetAndDestroy())
      })
    }`
  execFileSync(process.execPath, ['-e', program])
}

test('requests over a connection that was reset before it was accepted are not answered', async () => {
  const addresses: (string | undefined)[] = []
  const { http, silent } = startHttp(
    (request, response) => {
      addresses.push(request.socket.remoteAddress)
      response.end()
    },
    { threads: 1, isProxy: () => false },
  )
  const { port } = await listenOn(http, { port: 0, host: '127.0.0.1' })
  resetWhileWaiting(port, 100)
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(REQUEST)
  await once(socket, 'data')
  expect(addresses).toEqual(['127.0.0.1'])
  expect(silent.size).toBe(0)
  socket.destroy()
  await new Promise((resolve) => http.close(resolve))
})
