// Circuits of blob servers: silence counts against its account first, since a server may fail with one account's
// files alone. The server itself is left alone once several accounts in a row got no answer.

import { LruMap } from '../../../base/util/lru.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../../sources/circuit-breaker.ts'

export type BlobCircuit = {
  /** Whether a request may be sent now; its outcome must then be told. */
  mayAsk(): boolean
  answered(): void
  wasSilent(): void
}

type Server = { breaker: CircuitBreaker; silentAbout: Set<string> }

const MAX_HOSTS = 2_000
const MAX_ACCOUNTS = 10_000
const MAX_SILENT = 100

export function createBlobCircuits(now: () => number): (host: string, did: string) => BlobCircuit {
  const servers = new LruMap<string, Server>(MAX_HOSTS)
  const accounts = new LruMap<string, CircuitBreaker>(MAX_ACCOUNTS)

  function serverOf(host: string): Server {
    const known = servers.get(host)
    const server = known ?? { breaker: createCircuitBreaker(now), silentAbout: new Set<string>() }
    if (!known) servers.set(host, server)
    return server
  }

  return (host, did) => {
    const key = `${host} ${did}`
    const server = serverOf(host)
    return {
      mayAsk: () =>
        !accounts.get(key)?.isPausing() &&
        server.breaker.mayAsk() &&
        (accounts.get(key)?.mayAsk() ?? true),
      answered() {
        accounts.delete(key)
        server.silentAbout.clear()
        server.breaker.succeeded()
      },
      wasSilent() {
        const account = accounts.get(key) ?? createCircuitBreaker(now)
        accounts.set(key, account)
        account.failed()
        const isKnown = server.silentAbout.has(did)
        if (server.silentAbout.size < MAX_SILENT) server.silentAbout.add(did)
        if (!isKnown || server.breaker.isTesting()) server.breaker.failed()
      },
    }
  }
}
