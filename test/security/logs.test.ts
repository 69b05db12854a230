// Untrusted text can't forge a log line, nor control the terminal that shows the log: in handles, user
// agents, paths and the error texts of other servers.

import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { readable } from '../../src/base/obs/readable-log.ts'
import { terminalSafe } from '../../src/base/obs/terminal-safe.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'

const ESC = '\u001b'
const evil = [
  `alice${ESC}[2J${ESC}[1;1H`,
  `${ESC}]0;title\u0007`,
  'back\b\b\b\bspace',
  'carriage\rINFO return',
  'c1\u009b2Jcsi',
  'delete\u007f',
  'turned \u202e around',
  'nul\u0000',
  '{"level":60,"msg":"forged"}',
  '\\u001b[2J',
]

function collect() {
  let text = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  return { sink, text: () => text }
}

/** Removes the colours, which the logger adds itself. */
function withoutColours(text: string): string {
  return text.replaceAll(new RegExp(`${ESC}\\[[\\d;]*m`, 'g'), '')
}

const MOVING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

describe('as JSON', () => {
  test.each(evil.concat('one\ntwo\r\nthree', '\u2028line'))(
    '%j is one line and one field',
    (text) => {
      const { sink, text: written } = collect()
      pino({ base: null }, sink).info({ handle: text, err: new Error(text) }, 'a message')
      const lines = written().split(/\r?\n/).filter(Boolean)
      expect(lines.length).toBe(1)
      expect(JSON.parse(lines[0]!)).toMatchObject({ level: 30, msg: 'a message', handle: text })
    },
  )
})

describe('on a terminal', () => {
  test.each(evil)('%j does not move the cursor', (text) => {
    const { sink, text: written } = collect()
    const log = pino({ base: null }, readable(sink))
    log.warn({ handle: text, 'user-agent': text }, 'seen')
    log.warn({ err: new Error(text, { cause: new Error(text) }) }, 'failed')
    log.warn(text)
    expect(withoutColours(written())).not.toMatch(MOVING)
  })

  test('a line break in a text starts no line that looks like a log line', () => {
    const { sink, text: written } = collect()
    const log = pino({ base: null }, readable(sink))
    const forged = 'x\n[12:00:00.000] INFO: forged'
    log.warn({ handle: forged }, 'seen')
    log.warn({ err: new Error(forged) }, 'failed')
    expect(withoutColours(written())).not.toMatch(/^\[[\d:.]+\] INFO/m)
    expect(written()).toContain('forged')
  })

  test('JSON made safe for terminals is still JSON, with the same texts except for control characters', () => {
    const random = createRandom(testSeed('terminal'))
    const parts = [...evil, '\\', '\\\\', '"', '\n', '\t', 'ü', '\ud83d\ude00', '\\u001b', '/']
    for (let i = 0; i < 2_000; i++) {
      const text = Array.from({ length: 1 + random.below(6) }, () => random.pick(parts)).join('')
      const safe = (JSON.parse(terminalSafe(JSON.stringify({ text }))) as { text: string }).text
      expect(safe).not.toMatch(MOVING)
      const plain = text.replaceAll(new RegExp(MOVING, 'g'), '')
      if (plain === text) expect(safe).toBe(text)
    }
  })
})
