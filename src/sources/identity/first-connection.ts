// What a thread's first connection to another server needs once: parts of Node and of undici that are loaded when they
// are first used, the list of certificate authorities, and code that was never run. A member's first token is checked
// over such a connection, so all of it was in the turns of the first request after a start
// (docs/notes/2026-11-30-first-connections.md).

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createGuardedFetch } from './guarded-fetch.ts'

const BODY = Buffer.from('{}')
const TIMEOUT_MS = 2_000
const BODIES = [
  { 'content-encoding': 'identity', body: BODY },
  { 'content-encoding': 'gzip', body: gzipSync(BODY) },
  { 'content-encoding': 'br', body: brotliCompressSync(BODY) },
]

/** Fetches from this thread itself. Without a way to do so, the first request pays as before. */
export async function prepareConnections(): Promise<void> {
  createSecureContext()
  const left = [...BODIES]
  const server = createServer((_, response) => {
    const { body, ...headers } = left.pop() ?? BODIES[0]!
    response.writeHead(200, headers).end(body)
  })
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fetch = createGuardedFetch({ allowPrivateHosts: true })
    for (const _ of BODIES) await fetch(`http://127.0.0.1:${port}/`, { timeoutMs: TIMEOUT_MS })
  } catch {
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
