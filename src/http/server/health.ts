// `/xrpc/_health` as in the reference: the version, and 503 while something essential is down.

import { type Answer, jsonAnswer } from './answer.ts'

export type Health = {
  ok: boolean
  version: string
  /** What is down, for people. */
  error?: string
  /** State of the stream and background work, for people and scripts. */
  ingest?: unknown
}

export function healthAnswer(health: () => Health): Answer {
  const { ok, ...shown } = health()
  if (ok) return jsonAnswer(shown)
  return jsonAnswer({ error: 'Service Unavailable', ...shown }, { status: 503 })
}
