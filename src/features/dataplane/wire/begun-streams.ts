// Ends an HTTP/2 session that begins streams without end before it shows the secret, each reset at once, so that none
// counts as open. Node makes streams of all that it has read, 64 kB, before it tells the server of any; only this
// channel is told meanwhile, and what is left of an ended session costs next to nothing.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Http2Session, ServerHttp2Stream } from 'node:http2'

const BEGUN = 'http2.server.stream.created'

/** @returns stops limiting */
export function limitBegunStreams(
  isUnproven: (session: Http2Session) => boolean,
  most: number,
): () => void {
  const begun = new WeakMap<Http2Session, number>()
  const onBegun = (message: unknown) => {
    const { session } = (message as { stream: ServerHttp2Stream }).stream
    if (!session || !isUnproven(session)) return
    const count = (begun.get(session) ?? 0) + 1
    begun.set(session, count)
    if (count > most) session.destroy()
  }
  subscribe(BEGUN, onBegun)
  return () => void unsubscribe(BEGUN, onBegun)
}
