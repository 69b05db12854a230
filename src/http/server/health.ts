// `/xrpc/_health` as in the reference: the version, and 503 while something essential is down. A load balancer
// asks this. `/xrpc/_health?stream`, for uptime monitors, is also 503 while no new posts come in.

import { type Answer, jsonAnswer } from './http-answer.ts'

export type Health = {
  ok: boolean
  version: string
  /** What is down, for people. */
  error?: string
  stream?: StreamHealth
  /** State of the stream and background work, for people and scripts. */
  ingest?: unknown
}

/** `error`: why no new posts come in; absent if they do, or are expected to within minutes. */
export type StreamHealth = {
  /** starting, live, connecting, behind, disconnected, or what is read before the live stream. */
  state: string
  error?: string
}

/** @param search - the query of the request */
export function healthAnswer(health: () => Health, search = ''): Answer {
  const { ok, ...reported } = health()
  const isAbout = /(^|&)stream(=|&|$)/.test(search)
  const error = ok ? isAbout && reported.stream?.error : 'Service Unavailable'
  if (!error) return jsonAnswer(reported)
  return jsonAnswer({ error, ...reported }, { status: 503 })
}
