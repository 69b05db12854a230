// The least server that could answer: bare node:http in its own process, which for each request computes for a
// while and writes ready bytes. It keeps no state and leaves next to nothing to collect, so its latencies
// under the product's load are those of the machine, Node and the load generator (bench/world/quiet-load.ts).

import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MeasuredServer } from './measure-load.ts'
import { readCpu } from './process-cpu.ts'

export type PlainServer = MeasuredServer & { stop(): void }

/** Path of a request that costs `rounds` of computing and is answered with `bytes`. */
export function plainPath({ rounds, bytes }: { rounds: number; bytes: number }): string {
  return `/${Math.round(rounds)}/${Math.round(bytes)}`
}

export async function startPlainServer(): Promise<PlainServer> {
  const child = fork(import.meta.filename)
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number))
    child.once('exit', () => reject(new Error('the plain server ended')))
  })
  return {
    pid: child.pid!,
    port,
    cpu: () => readCpu(child.pid!),
    stop: () => {
      process.off('exit', end)
      end()
    },
  }
}

function serve(): void {
  const bodies = new Map<number, Buffer>()
  const bodyOf = (bytes: number) => {
    const body = bodies.get(bytes) ?? Buffer.alloc(bytes, 'x')
    bodies.set(bytes, body)
    return body
  }
  const server = createServer(({ url = '' }, response) => {
    const [, rounds = 0, bytes = 0] = url.split('/').map(Number)
    const headers = { 'content-type': 'application/json', 'content-length': bytes }
    response.writeHead(200, { ...headers, 'x-result': compute(rounds) }).end(bodyOf(bytes))
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
  process.once('disconnect', () => process.exit())
}

function compute(rounds: number): number {
  let value = 1
  for (let i = 0; i < rounds; i++) value = Math.imul(value ^ i, 0x9e3779b1)
  return value
}

if (import.meta.main) serve()
