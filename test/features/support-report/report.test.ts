// `slipstream report`: says what is wrong, and names nobody.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { withoutNames } from '../../../src/features/support-report/without-names.ts'
import { freshDataDir, startSlipstream } from '../../support/slipstream-process.ts'

const MAIN = join(import.meta.dirname, '../../../src/tools/cli/main.ts')
const NAMES = {
  HOSTNAME: 'appview.secret-place.net',
  MEMBERS: 'invite,alice.radio13.example,did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  OPERATOR_TOKEN: 'the-secret-token-of-mine',
  JETSTREAM_HOSTS: 'ws://user:password@127.0.0.1:1',
  PLC_URL: 'http://127.0.0.1:1',
}

async function report(dataDir: string): Promise<string> {
  const settings = Object.entries({ ...NAMES, DATA_DIR: dataDir })
  const env = Object.fromEntries(settings.map(([key, value]) => [`SLIPSTREAM_${key}`, value]))
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'report'], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...env },
    cwd: dataDir,
  })
  return stdout
}

function expectNoNames(text: string): void {
  expect(text).not.toMatch(/secret|radio13|alice|did:plc:a|password|user:/)
  expect(text).toContain('"SLIPSTREAM_MEMBERS": "invite,(2 names)"')
  expect(text).toContain('"SLIPSTREAM_OPERATOR_TOKEN": "********"')
}

test('without a server and a database it says so', async () => {
  const text = await report(freshDataDir())
  expectNoNames(text)
  expect(text).toMatch(/There is no database in/)
  expect(text).toMatch(/"unchecked server: it is not running"/)
})

test('of a running server it has the figures', async () => {
  const dataDir = freshDataDir()
  const slipstream = startSlipstream({ ...NAMES, DATA_DIR: dataDir })
  await slipstream.port()
  const text = await report(dataDir)
  await slipstream.stop('SIGKILL')
  expectNoNames(text)
  expect(text).toMatch(/"uptimeSeconds": \d/)
  expect(text).toMatch(/"schema": \d/)
})

test('the installer’s account names nobody', () => {
  const text = '"slipstream": "0.1.0", at /var/lib/slipstream of root'
  const own = ['/var/lib/slipstream', 'slipstream', 'root']
  expect(withoutNames(text, { known: [], own })).toBe(text)
})

test('names keep their number, and what names nobody stays', () => {
  const text = [
    'did:plc:one follows did:web:two.example and did:plc:one',
    'https://user:pw@pds.example.org/xrpc/app.bsky.feed.getPosts 192.0.2.7 127.0.0.1:3000',
    '2001:db8::7 at 2026-11-28T11:52:27.123Z, 11:52:27, Node 24.21.0, slipstream.sqlite-wal',
    'wss://jetstream.known.network as PDS.example.org at /home/someone/data',
  ].join('\n')
  const known = ['jetstream.known.network']
  expect(withoutNames(text, { known, own: ['/home/someone'] })).toBe(
    [
      '(did 2) follows (did 3) and (did 2)',
      'https://(hidden)@(name 4)/xrpc/app.bsky.feed.getPosts (address 5) 127.0.0.1:3000',
      '(address 6) at 2026-11-28T11:52:27.123Z, 11:52:27, Node 24.21.0, slipstream.sqlite-wal',
      'wss://jetstream.known.network as (name 4) at (own 1)/data',
    ].join('\n'),
  )
})
