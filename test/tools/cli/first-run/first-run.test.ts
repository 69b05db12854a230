// A first start on a terminal, which `script` (part of every Debian) makes: what is asked, when it is not, and what is
// then in .env. A file in place of the data folder ends each start before it reads a network.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { until } from '../../../support/eventually.ts'

const MAIN = join(import.meta.dirname, '../../../../src/main.ts')
const CTRL_C = '\x03'
const CTRL_D = '\x04'
const FOLDER_REFUSED = 78

const running = new Set<ReturnType<typeof spawn>>()
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
})

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-first-run-'))
  writeFileSync(join(folder, 'data'), 'in the way')
  return folder
}

/** Types each line once its question is on the screen; `message` is what a person saw. */
async function start(
  folder: string,
  typed: [question: RegExp, line: string][],
  env: Record<string, string> = {},
) {
  const command = `exec '${process.execPath}' '${MAIN}'`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TERM: 'dumb', SHELL: '/bin/sh', ...compiled(), ...env },
  })
  running.add(child)
  let message = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece) => (message += piece))
  const ended = once(child, 'close')
  let from = 0
  for (const [question, line] of typed) {
    await until(() => question.test(message.slice(from)) || child.exitCode !== null, {
      what: `${question} is asked`,
    })
    from = message.length
    child.stdin.write(line)
  }
  const [code] = await ended
  return { code: code as number, said: message.replaceAll('\r', '') }
}

function compiled(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE']
  return folder ? { NODE_COMPILE_CACHE: folder } : {}
}

const WHO = /1, 2 or 3 \[1\]: $/
const OWN = /needs no code \(optional\): $/
const NAMES = /separated by commas: $/
const HOST = /only this machine\]: $/

describe('on a terminal, without any setting', () => {
  test('Enter, thrice, makes a server for the invited on this machine', async () => {
    const folder = freshFolder()
    const { code, said: message } = await start(folder, [
      [WHO, '\r'],
      [OWN, '\r'],
      [HOST, '\r'],
    ])
    expect(message).toContain('.env is written:\n  SLIPSTREAM_MEMBERS=invite\n')
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('SLIPSTREAM_MEMBERS=invite\n')
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    // It then starts with what was answered: the data folder is in the way.
    expect(message).toMatch(/slipstream: .*data/)
    expect(code).toBe(FOLDER_REFUSED)
  })

  test('wrong answers get a sentence and are asked again', async () => {
    const folder = freshFolder()
    const { said: message } = await start(folder, [
      [WHO, 'everybody\r'],
      [WHO, '2\r'],
      [NAMES, '\r'],
      [NAMES, 'alice\r'],
      [NAMES, '@alice.example.org, did:plc:fivojrvylkim4nuo3pfqcf3k\r'],
      [HOST, 'https://appview.example.org/\r'],
      [HOST, '192.0.2.7\r'],
      [HOST, 'appview\r'],
      [HOST, 'AppView.example.org:8443\r'],
    ])
    for (const sentence of [
      'Type 1, 2 or 3, or only Enter for 1.',
      'Without a name nobody could read here: type at least one handle or DID.',
      'Handles look like alice.example.org, DIDs begin with did:plc: or did:web:; this is “alice”.',
      'Only the name, without https:// before it.',
      'A name, not an address: a service DID needs one.',
      'A host name looks like appview.example.org, with :port if it is not 443; this is “appview”.',
    ])
      expect(message).toContain(`${sentence}\n`)
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(
      'SLIPSTREAM_MEMBERS=alice.example.org,did:plc:fivojrvylkim4nuo3pfqcf3k\nSLIPSTREAM_HOSTNAME=appview.example.org:8443\n',
    )
  })

  test('anyone', async () => {
    const folder = freshFolder()
    await start(folder, [
      [WHO, '3\r'],
      [HOST, 'localhost\r'],
    ])
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(
      'SLIPSTREAM_MEMBERS=open\nSLIPSTREAM_HOSTNAME=localhost\n',
    )
  })

  test.each([
    ['Ctrl-C at the first question', [[WHO, CTRL_C]]],
    [
      'Ctrl-C at the last question',
      [
        [WHO, '3\r'],
        [HOST, `half${CTRL_C}`],
      ],
    ],
    ['the end of input', [[WHO, CTRL_D]]],
  ] as [string, [RegExp, string][]][])('%s leaves nothing', async (_, typed) => {
    const folder = freshFolder()
    const { code, said: message } = await start(folder, typed)
    expect(message).toContain('Nothing was written and nothing was started.')
    expect(code).toBe(130)
    expect(readdirSync(folder)).toEqual(['data'])
  })
})

describe('nothing is asked', () => {
  test('where there is a .env, even an empty one', async () => {
    const folder = freshFolder()
    writeFileSync(join(folder, '.env'), '')
    const { code, said: message } = await start(folder, [])
    expect(message).not.toContain('Who may read')
    expect(code).toBe(FOLDER_REFUSED)
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('')
  })

  test.each([
    ['in continuous integration', { CI: 'true' }],
    ['where something is set', { SLIPSTREAM_PORT: '0' }],
  ])('%s', async (_, env) => {
    const folder = freshFolder()
    const { code, said: message } = await start(
      folder,
      [],
      env as unknown as Record<string, string>,
    )
    expect(message).not.toContain('Who may read')
    expect(code).toBe(FOLDER_REFUSED)
    expect(existsSync(join(folder, '.env'))).toBe(false)
  })

  test('without a terminal', async () => {
    const folder = freshFolder()
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...compiled() },
    })
    running.add(child)
    let message = ''
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece) => (message += piece))
    const [code] = await once(child, 'close')
    expect(message).not.toContain('Who may read')
    expect(code).toBe(FOLDER_REFUSED)
    expect(existsSync(join(folder, '.env'))).toBe(false)
  })
})
