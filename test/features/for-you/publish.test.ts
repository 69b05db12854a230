// `slipstream for-you`: the record in a member's repository, by an app password that is used once.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cliJson, runCli } from '../../support/cli.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { freshDataDir, startSlipstream } from '../../support/slipstream-process.ts'

type Json = Record<string, unknown>

const PASSWORD = 'abcd-efgh-ijkl-mnop'
const KEY = 'app.bsky.feed.generator/for-you'

let plc: PlcDouble
let member: PlcAccount
let env: Record<string, string>
let pds: ReturnType<typeof createPds>

beforeAll(async () => {
  plc = await startPlcDouble()
})
afterAll(() => plc.close())
beforeEach(async () => {
  pds = createPds()
  const origin = await pds.listen()
  member = await plc.create({ handle: 'alice.example.org', pds: origin })
  env = {
    HOSTNAME: 'appview.example.org',
    DATA_DIR: freshDataDir(),
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    MEMBERS: member.did,
    JETSTREAM_HOSTS: 'ws://127.0.0.1:1',
  }
  const server = startSlipstream(env)
  await server.port()
  await server.stop()
})
afterEach(() => pds.close())

/** A PDS with one repository, which knows one app password. */
function createPds() {
  const records = new Map<string, Json>()
  const sessions = new Set<string>()
  const opened: string[] = []
  const answers: Record<string, (input: Json, token: string | undefined) => Json | undefined> = {
    'com.atproto.server.createSession'({ identifier, password }) {
      if (password !== PASSWORD) return undefined
      const token = `session-${opened.length}`
      opened.push(token)
      sessions.add(token)
      return { did: identifier, accessJwt: `${token}.access`, refreshJwt: `${token}.refresh` }
    },
    'com.atproto.server.deleteSession'(_, token) {
      sessions.delete(token!.replace('.refresh', ''))
      return {}
    },
    'com.atproto.repo.getRecord': ({ collection, rkey }) => {
      const value = records.get(`${collection}/${rkey}`)
      return value ? { value } : { error: 'RecordNotFound', message: 'Could not locate record' }
    },
    'com.atproto.repo.putRecord'({ collection, rkey, record }) {
      records.set(`${collection}/${rkey}`, record as Json)
      return { uri: 'at://', cid: 'bafy' }
    },
    'com.atproto.repo.deleteRecord'({ collection, rkey }) {
      records.delete(`${collection}/${rkey}`)
      return {}
    },
  }
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://pds')
    const nsid = pathname.split('/').at(-1)!
    const token = request.headers.authorization?.replace('Bearer ', '')
    const input = { ...Object.fromEntries(searchParams), ...(await bodyOf(request)) }
    const mayAct = nsid.endsWith('createSession') || sessions.has(token?.split('.')[0] ?? '')
    const body = mayAct ? answers[nsid]?.(input, token) : undefined
    const refused = { error: 'AuthenticationRequired', message: 'Invalid password' }
    response.writeHead(body ? (body['error'] ? 400 : 200) : 401)
    response.end(JSON.stringify(body ?? refused))
  })
  return {
    records,
    sessions,
    opened,
    async listen() {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    close: () => void server.close(),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text === '' ? {} : JSON.parse(text)
}

test('publishes, changes its words without touching the rest, and withdraws', async () => {
  const uri = `at://${member.did}/${KEY}`
  const first = await cliJson(env, ['for-you', 'publish', member.did], `${PASSWORD}\n`)
  expect(first).toEqual({ uri, isSet: false })
  const record = pds.records.get(KEY)!
  expect(record).toMatchObject({
    $type: 'app.bsky.feed.generator',
    did: 'did:web:appview.example.org',
    displayName: 'For You',
    acceptsInteractions: true,
  })
  pds.records.set(KEY, { ...record, avatar: 'theirs', did: 'did:web:elsewhere.example.org' })
  const named = ['for-you', 'publish', member.did, '--name', 'Liked nearby']
  const again = await cliJson({ ...env, FOR_YOU_PUBLISHER: member.did }, named, PASSWORD)
  expect(again).toEqual({ uri, isSet: true })
  expect(pds.records.get(KEY)).toEqual({ ...record, displayName: 'Liked nearby', avatar: 'theirs' })
  expect(await cliJson(env, ['for-you', 'withdraw', member.did], PASSWORD)).toEqual({ uri })
  expect(pds.records.size).toBe(0)
  expect([pds.opened.length, pds.sessions.size]).toEqual([3, 0])
})

test('says what to do about a wrong password, none, a stranger, or For You being off', async () => {
  const refused = async (args: string[], input: string, more: Record<string, string> = {}) => {
    const { code, stderr } = await runCli({ ...env, ...more }, ['for-you', ...args], input)
    expect([code, pds.records.size]).not.toEqual([0, 0])
    expect(pds.records.size).toBe(0)
    return stderr
  }
  const publish = ['publish', member.did]
  expect(await refused(publish, 'wrong\n')).toMatch(/Invalid password\n.*app password/)
  expect(await refused(publish, '')).toMatch(/standard input/)
  expect(await refused(publish, PASSWORD, { FOR_YOU_MB: '0' })).toMatch(/SLIPSTREAM_FOR_YOU_MB/)
  const stranger = await refused(['publish', 'stranger.example.org'], PASSWORD)
  expect(stranger).toMatch(/is not a member/)
})
