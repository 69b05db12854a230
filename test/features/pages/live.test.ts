// Server-sent figures: all listeners get the same, a listener that does not read costs no memory, and their
// number is limited.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createLive, type Live } from '../../../src/features/pages/live.ts'

let live: Live | undefined
afterEach(() => live?.close())

const decoder = new TextDecoder()

function open(options: { figures: () => string; maxListeners?: number }): Live {
  live = createLive(options.figures, { maxListeners: options.maxListeners, intervalMs: 5 })
  return live
}

describe('live figures', () => {
  test('are sent at once, then on each change, or a comment if unchanged', async () => {
    let turn = 0
    const stream = open({ figures: () => JSON.stringify({ turn: Math.floor(turn++ / 3) }) })
    const reader = stream.listen()!.body!.getReader()
    let text = ''
    while (!text.includes('"turn":3')) text += decoder.decode((await reader.read()).value)
    expect(text).toMatch(/^retry: 3000\n\nevent: figures\ndata: \{"turn":0\}\n\n/)
    expect(text).toContain(': still here\n\n')
    const notified = [...text.matchAll(/"turn":(\d+)/g)].map((match) => Number(match[1]))
    expect(notified).toEqual([...notified].sort((a, b) => a - b))
  })

  test('have a limited number of listeners, and a place is free again when one leaves', async () => {
    const stream = open({ figures: () => '{}', maxListeners: 2 })
    const first = stream.listen()!
    expect(stream.listen()).toBeDefined()
    expect(stream.listen()).toBeUndefined()
    await first.body!.cancel()
    expect(stream.listeners).toBe(1)
    expect(stream.listen()).toBeDefined()
  })

  test('have few listeners per address', () => {
    const stream = open({ figures: () => '{}' })
    const here = Array.from({ length: 20 }, () => stream.listen('203.0.113.1'))
    expect(here.filter((answer) => answer !== undefined)).toHaveLength(8)
    expect(stream.listen('203.0.113.2')).toBeDefined()
    expect(stream.listen()).toBeDefined()
  })

  test('stop for a listener that does not read, while others continue', async () => {
    let turn = 0
    const stream = open({ figures: () => String(turn++) })
    const idle = stream.listen()!
    const reader = stream.listen()!.body!.getReader()
    const isIdleGone = () => stream.listeners === 1
    while (!isIdleGone()) await reader.read()
    let waiting = 0
    for await (const chunk of idle.body!) waiting += chunk.length
    expect(waiting).toBeLessThan(1_000)
    expect((await reader.read()).done).toBe(false)
  })

  test('end for all at once, and are not computed without listeners', async () => {
    let made = 0
    const stream = open({ figures: () => String(made++) })
    const reader = stream.listen()!.body!.getReader()
    stream.close()
    while (!(await reader.read()).done);
    expect(stream.listeners).toBe(0)
    const before = made
    await sleep(50)
    expect(made).toBe(before)
  })
})
