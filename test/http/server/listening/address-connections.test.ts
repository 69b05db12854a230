// Connections per address over real sockets: long-running answers, which are limited per caller instead, are
// not counted until they end.

import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { countOtherwise } from '../../../../src/http/server/listening/address-connections.ts'
import { type Listener, startHttp } from '../../../../src/http/server/listening/listener.ts'

const MAX = 3
const STREAMS = 10

let listener: Listener
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  listener.http.close()
})

/** `/stream` runs until all are ended. */
async function listen(): Promise<{ port: number; endAll(): void }> {
  const ends: (() => void)[] = []
  listener = startHttp(
    (request, response) => {
      if (request.url !== '/stream') {
        response.end('done')
        return
      }
      countOtherwise(response)
      response.write('begun')
      ends.push(() => response.end())
    },
    { threads: 1, isProxy: () => false, limits: { maxConnectionsEach: MAX } },
  )
  listener.http.listen(0, '127.0.0.1')
  await once(listener.http, 'listening')
  const endAll = () => {
    for (const end of ends.splice(0)) end()
  }
  return { port: (listener.http.address() as AddressInfo).port, endAll }
}

/** undefined if the server hung up. */
async function ask(port: number, path: string): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  sockets.push(socket)
  const answered = new Promise<boolean>((resolve) => {
    socket.once('data', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return (await answered) ? socket : undefined
}

/** Resolves once the text is received from now on. */
function heard(socket: Socket, text: string): Promise<void> {
  let all = ''
  return new Promise((resolve) => {
    socket.on('data', (piece: string) => {
      all += piece
      if (all.includes(text)) resolve()
    })
  })
}

/** Retries: a connection just closed may still count. */
async function requested(port: number, path: string): Promise<Socket> {
  for (;;) {
    const socket = await ask(port, path)
    if (socket) return socket
  }
}

test('a program’s streams leave room for others of their address, who are limited as before', async () => {
  const { port } = await listen()
  for (let i = 0; i < STREAMS; i++) expect(await ask(port, '/stream')).toBeDefined()
  for (let i = 0; i < MAX; i++) expect(await ask(port, '/')).toBeDefined()
  expect(await ask(port, '/')).toBeUndefined()
  expect(await ask(port, '/stream')).toBeUndefined()
})

test('a connection counts again once its stream has ended, and no more once it is closed', async () => {
  const { port, endAll } = await listen()
  const retained: Socket[] = []
  for (let i = 0; i < MAX; i++) retained.push((await ask(port, '/stream'))!)
  const ended = retained.map((socket) => heard(socket, '0\r\n\r\n'))
  endAll()
  await Promise.all(ended)
  // The end was written before the answer was closed, so the connection's next answer follows both.
  for (const socket of retained) {
    const next = heard(socket, 'done')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await next
  }
  expect(await ask(port, '/')).toBeUndefined()
  retained[0]!.destroy()
  await requested(port, '/')
  expect(await ask(port, '/')).toBeUndefined()
})

test('a client that disconnects in the middle of a stream is no longer counted', async () => {
  const { port } = await listen()
  for (let turn = 0; turn < MAX * 2; turn++) {
    const socket = await requested(port, '/stream')
    socket.destroy()
  }
  for (let i = 0; i < MAX; i++) await requested(port, '/')
})
