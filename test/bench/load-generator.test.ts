// The load generator, in its own process, against servers of known speed: its reports match their behaviour.
// Bounds follow from the servers' own timers and do not depend on the machine's speed, except that it must
// keep up with a few hundred requests per second.

import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  getRequest,
  type LoadGenerator,
  startLoadGenerator,
} from '../../bench/load/load-generator.ts'
import type { LoadPlan } from '../../bench/load/types.ts'

let generator: LoadGenerator
let servers: { close(): void }[]

beforeEach(() => {
  generator = startLoadGenerator()
  servers = []
})

afterEach(() => {
  generator.stop()
  for (const server of servers) server.close()
})

async function serve(listener: RequestListener): Promise<number> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push({
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return (server.address() as AddressInfo).port
}

const plan = {
  requests: [getRequest('/')],
  connections: 4,
  warmupSeconds: 0.1,
  seconds: 0.8,
} satisfies Partial<LoadPlan>

const closed = { kind: 'closed' } as const
const open = (perSecond: number) => ({ kind: 'open', perSecond, arrivals: 'even' }) as const

describe('closed loop', () => {
  test('four connections to a server that takes 20 ms get at most 200 answers a second', async () => {
    const port = await serve((_request, response) => {
      setTimeout(() => response.end('x'.repeat(1000)), 20)
    })
    const report = await generator.run({ ...plan, port, load: closed })
    expect(report.latency.p50).toBeGreaterThanOrEqual(19)
    expect(report.perSecond).toBeLessThanOrEqual(210)
    expect(report.answered).toBeGreaterThan(4)
    expect(report.bodyBytes).toBe(report.answered * 1000)
    expect(report.latency.count).toBe(report.answered)
  })

  test('every request is sent in order, and no connection has two at once', async () => {
    const requested: string[] = []
    let most = 0
    const atWork = new Map<Socket, number>()
    const port = await serve((request, response) => {
      const { socket } = request
      const count = (atWork.get(socket) ?? 0) + 1
      atWork.set(socket, count)
      most = Math.max(most, count)
      requested.push(`${request.url} ${request.headers.authorization}`)
      setImmediate(() => {
        atWork.set(socket, atWork.get(socket)! - 1)
        response.end('x')
      })
    })
    const requests = [getRequest('/a', 'one'), getRequest('/b', 'two'), getRequest('/c', 'three')]
    await generator.run({ ...plan, requests, connections: 1, seconds: 1, port, load: closed })
    expect(most).toBe(1)
    const turns = ['/a Bearer one', '/b Bearer two', '/c Bearer three']
    expect(requested.length).toBeGreaterThan(3)
    expect(requested).toEqual(requested.map((_, i) => turns[i % 3]))
    expect(atWork.size).toBe(1)
  })
})

describe('open loop', () => {
  test('sends at the given rate, whatever the server does', async () => {
    let count = 0
    const port = await serve((_request, response) => {
      count++
      setTimeout(() => response.end('x'), 30)
    })
    const report = await generator.run({ ...plan, connections: 32, port, load: open(200) })
    // 160 are due; on a busy machine the last ones are answered too late to count.
    expect(report.answered).toBeGreaterThanOrEqual(100)
    expect(report.answered).toBeLessThanOrEqual(200)
    expect(count).toBeGreaterThanOrEqual(report.answered)
  })

  test('requests delayed by a stalled server count from when they were due', async () => {
    // The server answers none for 1,100 ms from the first request on.
    let isStalled = true
    const held: (() => void)[] = []
    const release = () => {
      isStalled = false
      for (const answer of held) answer()
    }
    const port = await serve((_request, response) => {
      if (held.length === 0) setTimeout(release, 1_100)
      if (isStalled) held.push(() => response.end('x'))
      else response.end('x')
    })
    const report = await generator.run({
      ...plan,
      connections: 2,
      warmupSeconds: 0,
      seconds: 1.6,
      port,
      load: open(100),
    })
    expect(report.answered).toBeGreaterThanOrEqual(120)
    // Two closed-loop connections would have seen two slow answers; users at this rate see 110 of
    // 160.
    expect(report.latency.p50).toBeGreaterThan(200)
    expect(report.latency.max).toBeGreaterThan(700)
  })

  test('random arrivals have the same mean rate', async () => {
    const port = await serve((_request, response) => void response.end('x'))
    const load = { ...open(400), arrivals: 'random' } as const
    const report = await generator.run({ ...plan, connections: 32, seconds: 1, port, load })
    expect(report.answered).toBeGreaterThan(200)
    expect(report.answered).toBeLessThan(500)
  })
})

describe('answers of all shapes', () => {
  test('chunked, empty and large bodies are read to their end', async () => {
    const large = Buffer.alloc(700_000, 'y')
    const port = await serve((request, response) => {
      if (request.url === '/chunked') {
        response.write('abc')
        setImmediate(() => response.end('defgh'))
      } else if (request.url === '/empty') {
        response.writeHead(200, { 'content-length': '0' }).end()
      } else response.end(large)
    })
    const requests = ['/chunked', '/empty', '/large'].map((path) => getRequest(path))
    const report = await generator.run({ ...plan, requests, connections: 1, port, load: closed })
    const rounds = Math.floor(report.answered / 3)
    expect(rounds).toBeGreaterThan(0)
    const left = report.bodyBytes - rounds * (8 + large.length)
    expect(left).toBeGreaterThanOrEqual(0)
    expect(left).toBeLessThanOrEqual(8 + large.length)
  })

  test('an answer split into single bytes is one answer', async () => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nx: y\r\n\r\nhello'
    const server = createTcpServer((socket) => {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('data', async () => {
        for (const byte of text) {
          socket.write(byte)
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    const { port } = server.address() as AddressInfo
    const report = await generator.run({ ...plan, connections: 1, port, load: closed })
    expect(report.refused).toBe(0)
    expect(report.answered).toBeGreaterThan(0)
    expect(report.bodyBytes).toBe(report.answered * 5)
  })

  test('refusals are counted separately, with the text of the first', async () => {
    let n = 0
    const port = await serve((_request, response) => {
      if (n++ % 2 === 0) response.end('x')
      else response.writeHead(401).end('{"error":"BadJwt"}')
    })
    const report = await generator.run({ ...plan, connections: 1, port, load: closed })
    expect(report.refused).toBeGreaterThan(0)
    expect(Math.abs(report.refused - report.answered)).toBeLessThanOrEqual(1)
    expect(report.firstRefusal).toBe('401 {"error":"BadJwt"}')
  })

  test('a server that breaks the connection fails the run', async () => {
    const port = await serve((request) => request.socket.destroy())
    await expect(generator.run({ ...plan, port, load: closed })).rejects.toThrow(/closed|reset/i)
  })
})
