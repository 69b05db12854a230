// A server on a loopback address that must never be called: a stranger's PDS tries to redirect us to it. It
// counts requests all the same.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Trap = {
  url: string
  /** Requests received, by path. */
  caught(): readonly string[]
  close(): Promise<void>
}

const ADDRESS = '127.0.0.2'

export async function openTrap(): Promise<Trap> {
  const caught: string[] = []
  const server = createServer((request, response) => {
    caught.push(request.url ?? '')
    response.end('{"records":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve))
  return {
    url: `http://${ADDRESS}:${(server.address() as AddressInfo).port}`,
    caught: () => caught,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
