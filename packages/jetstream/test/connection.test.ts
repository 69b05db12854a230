// A connection that rests, beside a real WebSocket server.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { until } from '../../../test/support/eventually.ts'
import { type Connection, openConnection } from '../src/connection/connection.ts'
import { defaultLimits } from '../src/limits.ts'

let frames: string[]
let cameAt: number[]
let server: ReturnType<typeof createServer>
let peer: WebSocket
let connection: Connection

beforeEach(async () => {
  frames = []
  cameAt = []
  server = createServer()
  const sockets = new WebSocketServer({ server })
  const connected = once(sockets, 'connection')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  connection = openConnection({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    limits: { ...defaultLimits, pingIntervalMs: 20, idleTimeoutMs: 200 },
    onOpen() {},
    onFrame(data) {
      frames.push(data.toString())
      cameAt.push(performance.now())
    },
  })
  ;[peer] = await connected
  peer.send('hello')
  await until(() => frames.length === 1)
})

afterEach(async () => {
  connection.leave()
  await connection.ended
  server.closeAllConnections()
  server.close()
})

test('what comes during a rest waits for its end, in order', async () => {
  const beganAt = performance.now()
  connection.rest(200)
  for (let i = 0; i < 50; i++) peer.send(`frame ${i}`)
  await until(() => frames.length === 51)
  // Timers may be a millisecond early.
  expect(cameAt[1]! - beganAt).toBeGreaterThan(198)
  expect(frames.slice(1)).toEqual(Array.from({ length: 50 }, (_, i) => `frame ${i}`))
})

test('the end of a rest does not end a pause, nor the reverse', async () => {
  connection.rest(50)
  connection.pause()
  peer.send('later')
  await pause(150)
  expect(frames).toEqual(['hello'])
  connection.rest(150)
  connection.resume()
  await pause(50)
  expect(frames).toEqual(['hello'])
  await until(() => frames.length === 2)
})

test('rest after rest, the connection lives, and its end is noticed', async () => {
  let hasEnded = false
  void connection.ended.then(() => {
    hasEnded = true
  })
  const resting = setInterval(() => connection.rest(20), 5)
  await pause(600)
  expect(hasEnded).toBe(false)
  peer.close(1001, 'going away')
  expect(await connection.ended).toMatchObject({ kind: 'closed', code: 1001 })
  clearInterval(resting)
})
