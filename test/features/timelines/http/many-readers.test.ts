// Hundreds of readers of one timeline, notified a few at a time: some leave at their first event, others join
// while events are being sent, and each gets every event once, in order.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTimelinesProcess, type TimelinesProcess } from '../../../support/timelines-process.ts'

const READERS = 400
const LATECOMERS = 60
const EVENTS = 40
let world: TimelinesProcess
let token: string

beforeAll(async () => {
  world = await startTimelinesProcess(['alice'])
  await world.start()
  token = await world.token('many', 'read:*', 'post:*')
}, 400_000)
afterAll(() => world.close())

type Reader = { seen: number[]; hasAll: Promise<void>; leave(): void }

/** Resolves once its stream has begun. */
async function listen(onFirst: (reader: Reader) => void = () => {}): Promise<Reader> {
  const socket: Socket = connect(Number(new URL(world.origin()).port), '127.0.0.1').on(
    'error',
    () => undefined,
  )
  socket.setEncoding('utf8')
  const { promise: hasAll, resolve } = Promise.withResolvers<void>()
  const reader: Reader = { seen: [], hasAll, leave: () => socket.destroy() }
  let text = ''
  const hear = (piece: string) => {
    text += piece
    const lines = text.split('\n')
    text = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      const { sequence_id } = JSON.parse(line.slice('data: '.length)) as { sequence_id: string }
      reader.seen.push(Number(sequence_id))
    }
    if (reader.seen.length > 0) onFirst(reader)
    if (reader.seen.at(-1) === EVENTS) resolve()
  }
  const path = '/v1/timelines/custom:many/stream?since=0'
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [string]
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  socket.on('data', hear)
  hear(head)
  return reader
}

async function post(from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i++) {
    const note = { entity_id: String(i), entity_type: 'note', payload: i }
    const posted = await world.post('many', { ...note, producer_ts: '2026-01-01T00:00:00Z' }, token)
    expect(posted.body.sequence_id).toBe(String(i))
  }
}

test('readers that stay, and those that join meanwhile, get every event once and in order', async () => {
  await post(1, 1)
  const staying = await Promise.all(Array.from({ length: READERS }, () => listen()))
  await Promise.all(Array.from({ length: READERS / 4 }, () => listen((reader) => reader.leave())))
  const posting = post(2, EVENTS)
  const latecomers: Reader[] = []
  for (let i = 0; i < LATECOMERS; i++) latecomers.push(await listen())
  await posting
  const all = [...staying, ...latecomers]
  await Promise.all(all.map(({ hasAll }) => hasAll))
  const every = Array.from({ length: EVENTS }, (_, i) => i + 1)
  for (const { seen } of all) expect(seen).toEqual(every)
  for (const reader of all) reader.leave()
}, 400_000)
