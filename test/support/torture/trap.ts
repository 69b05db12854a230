// A server on a loopback address that nobody has any business with: what a stranger's PDS tries to
// send us to. It counts who comes all the same.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Trap = {
  url: string
  /** Requests that came, by path. */
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
