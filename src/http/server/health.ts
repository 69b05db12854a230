// `/xrpc/_health`, as the reference has it: the version, and 503 while something essential is down.

import { type Answer, jsonAnswer } from './answer.ts'

export type Health = {
  ok: boolean
  version: string
  /** What is down, for people. */
  error?: string
  /** How the stream and the background work are doing, for people and scripts. */
  ingest?: unknown
}

export function healthAnswer(health: () => Health): Answer {
  const { ok, ...shown } = health()
  if (ok) return jsonAnswer(shown)
  return jsonAnswer({ error: 'Service Unavailable', ...shown }, { status: 503 })
}
