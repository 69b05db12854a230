// The two headers by which an AppView tells a client and a PDS where an answer stands.

import { formatLabelers } from './labelers.ts'
import type { MethodContext } from './method.ts'
import type { Serving } from './serving.ts'

type Headers = Record<string, string>

/** Whose labels were taken into account: the accepted labelers, echoed as the reference does. */
export function labelerHeaders({ labelers }: Pick<MethodContext, 'labelers'>): Headers {
  return labelers ? { 'atproto-content-labelers': formatLabelers(labelers) } : {}
}

/**
 * Also the rev up to which we have applied the viewer's own repository: the PDS adds to the answer
 * what the viewer wrote after it. It must never be older than the body, or the PDS adds what is
 * there already: so this is called after the body was built.
 */
export function repoHeaders(
  { accounts, actors }: Pick<Serving, 'accounts' | 'actors'>,
  context: Pick<MethodContext, 'labelers' | 'viewer'>,
): Headers {
  const uid = context.viewer === undefined ? 0 : actors.uidOf(context.viewer)
  const rev = uid === 0 ? undefined : accounts.revOf(uid)
  return { ...labelerHeaders(context), ...(rev && { 'atproto-repo-rev': rev }) }
}
