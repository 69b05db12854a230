// What a program writes before the requests are asked: timelines whose events are as large as they may be, and
// a graph in which one account follows, and is followed by, as many as there are.

import { setTimeout as pause } from 'node:timers/promises'
import { crowd } from './acts.ts'
import type { Request } from './requests.ts'
import type { CostlyServer } from './server.ts'
import { WHALE } from './worst-rows.ts'

export const CUSTOM_TIMELINES = Array.from({ length: 16 }, (_, i) => `costly-${i}`)
export const GRAPH = 'costly'

const EVENTS_EACH = 110
const PAYLOAD = 16_000
const FOLLOWS_A_LINE = 1_000
const MOST_TRIES = 20
const AGAIN_AFTER_MS = 500
const program = { token: 'program' as const }

export async function writeAsProgram(server: CostlyServer, rows: number): Promise<void> {
  for (const name of CUSTOM_TIMELINES) {
    for (let i = 0; i < EVENTS_EACH; i++) await written(server, eventOf(name, i))
  }
  await written(server, {
    method: `/v1/graphs/${GRAPH}/adjacency`,
    ...program,
    path: `/v1/graphs/${GRAPH}/adjacency?load=costly`,
    verb: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: [...adjacency(rows)].map((line) => JSON.stringify(line)).join('\n'),
  })
}

function eventOf(name: string, i: number) {
  const body = {
    entity_id: `${i} ${'é'.repeat(1_000)}`,
    entity_type: 'post',
    payload: { text: 'w"\\'.repeat(PAYLOAD / 5) },
    producer_ts: Date.now(),
  }
  const path = `/v1/timelines/custom:${name}/events`
  return { method: '/v1/timelines', ...program, path, verb: 'POST' as const, body }
}

function* adjacency(rows: number) {
  for (let i = 0; i < rows; i += FOLLOWS_A_LINE) {
    const length = Math.min(FOLLOWS_A_LINE, rows - i)
    yield { actor: WHALE, follows: Array.from({ length }, (_, n) => crowd(i + n)) }
  }
  for (let i = 0; i < rows; i++) yield { actor: crowd(i), follows: [WHALE] }
}

/** A server that has just started on a busy machine refuses some. */
async function written(server: CostlyServer, request: Request): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { status, text } = await server.ask(request)
    if (status < 300) return
    if (status !== 503 || tries === MOST_TRIES)
      throw new Error(`a program's write was answered ${status}: ${text}`)
    await pause(AGAIN_AFTER_MS)
  }
}
