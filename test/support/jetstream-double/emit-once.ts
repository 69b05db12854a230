// One post, once somebody listens.

import type { JetstreamDouble } from './double.ts'
import { didOf, tidAt } from './made-up-ids.ts'

/** @returns stops waiting */
export function emitOnce(stream: JetstreamDouble): () => void {
  const emitting = setInterval(() => {
    if (stream.openConnections() === 0) return
    clearInterval(emitting)
    const record = { $type: 'app.bsky.feed.post', text: 'hello', createdAt: '2026-01-01T00:00:00Z' }
    const collection = 'app.bsky.feed.post'
    const rkey = tidAt(1_700_000_000_000_000)
    stream.emit({ did: didOf(1), operation: 'create', collection, rkey, record })
  }, 50)
  return () => clearInterval(emitting)
}
