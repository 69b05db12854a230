// A process that asks as one address, as hard as its connections allow, and tells what answers it got: refused or
// not, the next request follows at once, over the same connection or a new one.

import { Agent, request } from 'node:http'
import { connect } from 'node:net'

export type Bid = {
  /** `CONNECT` is no request: a connection is opened, and closed at once. `RAW`: `path` are the bytes that are sent. */
  verb: string
  path: string
  headers?: Record<string, string>
  body?: string
}
export type BuyOrder = {
  port: number
  /** Where the connections come from. */
  localAddress: string
  bids: readonly Bid[]
  atOnce: number
  forMs: number
}
/** How often each status was answered; 0: a connection that ended without an answer. */
export type BuyReport = { statuses: Record<number, number> }

const LEFT_AFTER_MS = 1_000

if (process.send) process.on('message', async (order: BuyOrder) => process.send!(await buy(order)))

async function buy({ bids, atOnce, forMs, ...to }: BuyOrder): Promise<BuyReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const statuses: Record<number, number> = {}
  const until = performance.now() + forMs
  const signal = AbortSignal.timeout(forMs + LEFT_AFTER_MS)
  let next = 0
  async function loop(): Promise<void> {
    while (performance.now() < until) {
      const status = await bidOnce(bids[next++ % bids.length]!, { ...to, agent, signal })
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  agent.destroy()
  return { statuses }
}

type To = Pick<BuyOrder, 'port' | 'localAddress'> & { agent: Agent; signal: AbortSignal }

function bidOnce(bid: Bid, to: To): Promise<number> {
  return bid.verb === 'CONNECT' || bid.verb === 'RAW' ? overSocket(bid, to) : overHttp(bid, to)
}

function overHttp({ verb, path, headers, body }: Bid, to: To): Promise<number> {
  return new Promise((resolve) => {
    const gone = () => resolve(0)
    const asking = request({ ...to, host: '127.0.0.1', method: verb, path, headers: headers ?? {} })
    asking.once('error', gone)
    asking.once('response', (response) => {
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', gone)
      response.once('close', gone)
      response.resume()
    })
    asking.end(body)
  })
}

function overSocket({ verb, path }: Bid, { port, localAddress, signal }: To): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ port, localAddress, host: '127.0.0.1', signal })
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(0))
    socket.once('connect', () => (verb === 'CONNECT' ? socket.destroy() : socket.write(path)))
    socket.resume()
  })
}
