// Requests to a cluster in trouble: of a program with its token, and of members with tokens of their own.

import { signServiceJwt } from '../../../../support/service-jwt.ts'
import type { PageJson } from '../../../../support/timelines-process.ts'
import type { FaultyCluster } from './cluster.ts'
import type { FaultReport } from './report.ts'

export type Notified = { status: number; isBehind: boolean; body: Record<string, unknown> }

type Request = { origin: string; path: string; token: string; body?: unknown }

export async function ask({ origin, path, token, body }: Request): Promise<Notified> {
  const answer = await fetch(`${origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const notified = JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
  return {
    status: answer.status,
    isBehind: answer.headers.has('slipstream-behind'),
    body: notified,
  }
}

/** Sends a member’s request, as their own server would. */
export async function askAs(
  { nodes: [node] }: FaultyCluster,
  name: string,
  { origin, nsid, body }: { origin: string; nsid: string; body?: unknown },
): Promise<Notified> {
  const { did, keypair } = node!.accountOf(name)
  const claims = { iss: did, aud: 'did:web:localhost', lxm: nsid }
  const token = await signServiceJwt(keypair, claims)
  return ask({ origin, path: `/xrpc/${nsid}`, token, body })
}

/** Reads a page through the balancer. */
export async function readPage(
  cluster: FaultyCluster,
  report: FaultReport,
  { key, query }: { key: string; query: string },
): Promise<PageJson | undefined> {
  const { balancer, token } = cluster
  const path = `/v1/timelines/${encodeURIComponent(key)}/events?${query}`
  const notified = await ask({ origin: balancer.origin, path, token })
  countRead(report, notified, key)
  return notified.status === 200 ? (notified.body as PageJson) : undefined
}

export function countRead(report: FaultReport, notified: Notified, what: string): void {
  report.reads++
  if (notified.isBehind) report.behind++
  if (notified.status === 200) return
  report.failed.reads.push(`${what}: ${notified.status} ${JSON.stringify(notified.body)}`)
}
