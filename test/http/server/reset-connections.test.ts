// A connection that was reset before it was taken has no address left, and what has none counts as our own. So nothing
// of what was sent over it is answered, which would cost us and nobody else.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listenOn, startHttp } from '../../../src/http/server/listener.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

/** This process can't take them meanwhile, since it waits for the other one to end. */
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

test('what was asked over a connection that was reset before we took it is not answered', async () => {
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
  const socket = connect(port, '127.0.0.1')
  socket.write(REQUEST)
  await once(socket, 'data')
  expect(addresses).toEqual(['127.0.0.1'])
  expect(silent.size).toBe(0)
  socket.destroy()
  await new Promise((resolve) => http.close(resolve))
})
