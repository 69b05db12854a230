// The command line in a shell whose settings are not the server's: only the data folder is the same. What it
// says of the server comes from the server.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { cliJson, runCli } from '../../support/cli.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

let plc: PlcDouble
let [named, guest]: PlcAccount[] = []
let server: SlipstreamProcess
let shell: Record<string, string>

const settings = () => ({
  HOSTNAME: 'appview.example.org',
  JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
  PLC_URL: plc.url,
  ALLOW_PRIVATE_HOSTS: 'on',
  MEMBERS: `invite,${named!.did}`,
  OPERATOR_TOKEN: ['a', 'token', 'for', 'tests'].join('-'),
  DATA_DIR: shell['DATA_DIR']!,
})

beforeAll(async () => {
  plc = await startPlcDouble()
  named = await plc.create({ handle: 'named.test', pds: 'http://127.0.0.1:9' })
  guest = await plc.create({ handle: 'guest.test', pds: 'http://127.0.0.1:9' })
  shell = { DATA_DIR: freshDataDir() }
  server = startSlipstream(settings())
  await server.port()
  await cliJson(shell, ['member', 'add', guest!.did, '--no-wait'])
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await plc.close()
})

test('an invite says where it works', async () => {
  const made = await runCli(shell, ['invite', 'create'])
  expect(made).toMatchObject({
    code: 0,
    stderr: 'People enter it at https://appview.example.org/invite\n',
  })
  const disabled = await runCli(shell, ['invite', 'disable', made.stdout.trim().toUpperCase()])
  expect(disabled.code).toBe(0)
  const again = await runCli(shell, ['invite', 'disable', made.stdout.trim()])
  expect(again.stderr).toContain('`slipstream invite list` lists them.')
})

test('a reading link is made, and works at the server', async () => {
  const { url } = await cliJson<{ url: string }>(shell, ['member', 'link', guest!.did])
  const [page, token] = url.split('#')
  expect(page).toBe('https://appview.example.org/read')
  const nsid = 'app.bsky.feed.getTimeline'
  const read = await fetch(`http://127.0.0.1:${await server.port()}/xrpc/${nsid}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(read.status).toBe(200)
  const long = await runCli(shell, ['member', 'link', guest!.did, '--hours', '9999'])
  expect(long.code).toBe(64)
})

test('a removal says whether the account comes back, and why', async () => {
  const gone = await runCli(shell, ['member', 'remove', guest!.did, '--no-export'])
  expect(gone.stdout).toBe(`${guest!.did} is no longer a member.\n`)
  const back = await runCli(shell, ['member', 'remove', named!.did, '--no-export'])
  expect(back.stdout).toContain('SLIPSTREAM_MEMBERS names them')
  expect(back.stdout).toContain('slipstream moderation ban')
})

test('a banned account cannot be added, and the error says how to end the ban', async () => {
  const banned = await runCli(shell, ['moderation', 'ban', guest!.did])
  expect(banned.code).toBe(0)
  const added = await runCli(shell, ['member', 'add', guest!.did])
  expect(added).toMatchObject({ code: 1, stderr: expect.stringContaining('`allow` ends a ban') })
  await runCli(shell, ['moderation', 'allow', guest!.did])
  await cliJson(shell, ['member', 'add', guest!.did, '--no-wait'])
})

test('figures of a stream that never came are not called received', async () => {
  const { stdout } = await runCli(shell, ['stats'])
  expect(stdout).toMatch(/visible +no events yet/)
  expect(stdout).not.toContain('received until')
})

test('a server that is starting is waited for', async () => {
  await server.stop('SIGTERM')
  server = startSlipstream(settings())
  await server.waitFor(/"msg"|slipstream/i)
  const { stdout, stderr } = await runCli(shell, ['stats'])
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^server +\d/), ''])
})

test('without a server, the shell’s own settings count', async () => {
  await server.stop('SIGTERM')
  const made = await runCli(shell, ['invite', 'create'])
  expect(made.stderr).toContain('It works once SLIPSTREAM_MEMBERS contains the word invite.')
  const gone = await runCli(shell, ['member', 'remove', guest!.did, '--no-export'])
  expect(gone.stdout).toContain('SLIPSTREAM_MEMBERS is open')
  const link = await runCli(settings(), ['member', 'link', guest!.did])
  expect(link.stderr).toContain('is not a member')
})
