// What requests to other servers need of undici: an eighth of its code, which is in every thread's memory. Its index
// also loads its own fetch, WebSockets, caches, mocks and proxies (docs/notes/2026-11-30-an-empty-instance.md).

import type { Dispatcher } from 'undici'
import requestBy from 'undici/lib/api/api-request.js'
import connectorOfUndici from 'undici/lib/core/connect.js'
import AgentOfUndici from 'undici/lib/dispatcher/agent.js'

export const Agent = AgentOfUndici
export const buildConnector = connectorOfUndici
export type Agent = InstanceType<typeof AgentOfUndici>

/** The same as undici's `request`. */
export function request(
  url: string | URL,
  {
    dispatcher,
    ...options
  }: Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & { dispatcher: Agent },
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  return requestBy.call(dispatcher, { ...options, origin, path: `${pathname}${search}` })
}
