// A balancer for tests, in front of several servers: round robin, with health checks. A request goes to
// another server if the first refuses the connection; a read also if the first breaks it off or stays silent
// for long.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Backend = { origin: () => string }

const CHECKED_EVERY_MS = 250
const CHECK_MS = 1_000
/** Read timeout: a stopped server accepts connections, but answers none. */
const READ_MS = 3_000

export async function startBalancer(backends: readonly Backend[]) {
  const isUp = backends.map(() => true)
  let turn = 0
  let retries = 0

  async function check(): Promise<void> {
    await Promise.all(
      backends.map(async ({ origin }, i) => {
        const signal = AbortSignal.timeout(CHECK_MS)
        const answer = await fetch(`${origin()}/xrpc/_health`, { signal }).catch(() => undefined)
        isUp[i] = answer?.status === 200
      }),
    )
  }
  const timer = setInterval(() => void check(), CHECKED_EVERY_MS)

  /** Returns the healthy servers first, starting with another one each time. */
  function inTurn(): Backend[] {
    const first = turn++ % backends.length
    const order = backends.map((_, i) => (first + i) % backends.length)
    return order.toSorted((a, b) => Number(isUp[b]) - Number(isUp[a])).map((i) => backends[i]!)
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url, headers } = request
    const isRead = method === 'GET'
    const body = isRead ? undefined : await bodyOf(request)
    const passed = {
      authorization: headers.authorization ?? '',
      'content-type': 'application/json',
    }
    const reasons: string[] = []
    for (const [i, backend] of inTurn().entries()) {
      if (i > 0) retries++
      const signal = AbortSignal.timeout(READ_MS)
      const requested = { method, headers: passed, signal, ...(body !== undefined && { body }) }
      let why = ''
      const answer = await fetch(`${backend.origin()}${url}`, requested)
        .then(async (response) => ({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }))
        .catch((error: Error) => {
          why = (error.cause as NodeJS.ErrnoException | undefined)?.code ?? error.name
        })
      if (answer) {
        const behind = answer.headers.get('slipstream-behind')
        response.writeHead(answer.status, behind === null ? {} : { 'slipstream-behind': behind })
        return void response.end(answer.text)
      }
      reasons.push(`${isUp[backends.indexOf(backend)] ? 'up' : 'down'} ${why}`)
      if (!isRead && why !== 'ECONNREFUSED') break
    }
    response.writeHead(502).end(JSON.stringify({ error: `BadGateway: ${reasons.join()}` }))
  }

  const server = createServer((request, response) => void pass(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries: () => retries,
    close(): void {
      clearInterval(timer)
      server.closeAllConnections()
      server.close()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
