// Three visitors that flood a world's server over a real socket, with the default limits on requests.

import { loadConfig } from '../../src/base/config/config.ts'
import { createServer } from '../../src/http/server/server.ts'
import { didOf } from './records.ts'
import type { ServingWorld } from './serving-world.ts'
import { trustingAuth } from './trusting-auth.ts'

export const FLOODS = 900
/** What a member then asks for. */
export const ENOUGH = 10
/** The headers of a member's request. */
export const alice = { authorization: `Bearer ${didOf('alice')}` }

type Ask = (path: string, headers: Record<string, string>) => Promise<number>

/** `serve` returns what asks a world's server; `stop` ends all of them. */
export function servingFloods() {
  const closing: (() => unknown)[] = []
  return {
    async serve(world: ServingWorld): Promise<Ask> {
      const server = createServer({
        config: {
          ...loadConfig({}, '/nonexistent/.env'),
          port: 0,
          trustedProxies: ['127.0.0.1/32'],
        },
        methods: world.methods,
        serviceAuth: trustingAuth,
        health: () => ({ ok: true, version: '1' }),
        log: { debug() {}, error() {}, fatal() {} },
      })
      closing.push(() => world.dispose(), server.close)
      const { port } = await server.listen()
      return async (path, headers) => {
        const response = await fetch(`http://127.0.0.1:${port}/xrpc/${path}`, { headers })
        await response.arrayBuffer()
        return response.status
      }
    },
    async stop() {
      for (const close of closing.splice(0).reverse()) await close()
    },
  }
}

const visitor = (i: number) => ({ 'x-forwarded-for': `192.0.2.${1 + (i % 3)}` })

/** @returns the statuses of the answers */
export async function flood(ask: Ask, pathOf: (i: number) => string): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let i = 0; i < FLOODS; i += 6) {
    const some = Array.from({ length: 6 }, (_, k) => ask(pathOf(i + k), visitor(i + k)))
    for (const status of await Promise.all(some)) statuses.add(status)
  }
  // A busy machine may put visitors off for a moment.
  statuses.delete(503)
  return statuses
}
