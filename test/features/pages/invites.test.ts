// Joining by invite, on the whole process as an operator runs it: a stranger's signed call, the page for
// people, the operator's routes; and the effect of hostile forms on the page.

import { Hono } from 'hono'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { invalidRequest } from '../../../src/base/atproto/xrpc-error.ts'
import { members } from '../../../src/base/config/parsers.ts'
import { inviteRoutes } from '../../../src/features/pages/invites/invite-page.ts'
import type { Identity } from '../../../src/sources/identity/did-document.ts'
import { IdentityUnavailableError } from '../../../src/sources/identity/fetch-identity.ts'
import type { Resolver } from '../../../src/sources/identity/resolver.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const SERVICE_DID = 'did:web:appview.example.org'
const PUBLIC_ORIGIN = 'https://appview.example.org'
const US = {
  hostname: 'appview.example.org',
  serviceDid: SERVICE_DID,
  publicOrigin: PUBLIC_ORIGIN,
  members: members('invite'),
}
const TOKEN = 'a-token-of-the-operators'
const READ = 'app.bsky.actor.getPreferences'
const REDEEM = 'io.slipstream.server.redeemInvite'

let plc: PlcDouble
let server: SlipstreamProcess
let origin: string

beforeAll(async () => {
  plc = await startPlcDouble()
  server = startSlipstream({
    HOSTNAME: 'appview.example.org',
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: freshDataDir(),
    MEMBERS: 'invite',
    MAX_MEMBERS: '3',
    OPERATOR_TOKEN: TOKEN,
  })
  origin = `http://127.0.0.1:${await server.port()}`
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await plc.close()
})

type Got = { status: number; body: Record<string, unknown> }

async function ask(path: string, init: RequestInit = {}): Promise<Got> {
  const answer = await fetch(`${origin}${path}`, init)
  const text = await answer.text()
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : { text } }
}

async function as(account: PlcAccount, lxm: string, input?: unknown): Promise<Got> {
  const claims = { iss: account.did, aud: SERVICE_DID, lxm }
  const authorization = `Bearer ${await signServiceJwt(account.keypair, claims)}`
  if (input === undefined) return ask(`/xrpc/${lxm}`, { headers: { authorization } })
  const headers = { authorization, 'content-type': 'application/json' }
  return ask(`/xrpc/${lxm}`, { method: 'POST', headers, body: JSON.stringify(input) })
}

function operate(path: string, method = 'GET', body?: unknown): Promise<Got> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  return ask(`/operator${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

const eventuallyIn = (account: PlcAccount) =>
  expect.poll(() => as(account, READ).then(({ status }) => status)).toBe(200)

test('a stranger is refused, redeems a code through their PDS, and reads', async () => {
  const [alice, bob] = [
    await plc.create({ handle: 'alice.test' }),
    await plc.create({ handle: 'bob.test' }),
  ]
  expect(await as(alice, READ)).toMatchObject({ status: 403, body: { error: 'NotAMember' } })
  const made = await operate('/invites', 'POST', { maxUses: 1, note: 'for <alice>' })
  const code = made.body['code'] as string
  const wrong = await as(alice, REDEEM, { code: 'aaaaa-aaaaa-aaaaa' })
  expect(wrong).toMatchObject({ status: 400, body: { error: 'InvalidInvite' } })
  const typed = ` ${code.toUpperCase().replaceAll('-', ' ')}`
  expect(await as(alice, REDEEM, { code: typed })).toEqual({
    status: 200,
    body: { did: alice.did },
  })
  await eventuallyIn(alice)
  expect((await as(alice, REDEEM, { code })).status).toBe(200)
  expect(await as(bob, REDEEM, { code })).toMatchObject({
    status: 400,
    body: { error: 'InvalidInvite', message: 'This invite is used up.' },
  })
  expect((await as(bob, READ)).status).toBe(403)
  const { invites } = (await operate('/invites')).body as { invites: object[] }
  expect(invites).toMatchObject([{ code, uses: 1, maxUses: 1, note: 'for <alice>' }])
})

test('the operator admits and removes accounts by name, and disables a code', async () => {
  const carol = await plc.create({ handle: 'carol.test' })
  expect((await operate('/members', 'POST', { actor: carol.did })).status).toBe(200)
  await eventuallyIn(carol)
  const made = await operate('/invites', 'POST', { maxUses: 10, days: 1 })
  const code = made.body['code'] as string
  expect((await operate(`/invites/${code}`, 'DELETE')).status).toBe(200)
  expect((await operate(`/invites/${code}`, 'DELETE')).status).toBe(404)
  const dave = await plc.create({ handle: 'dave.test' })
  expect((await as(dave, REDEEM, { code })).body['error']).toBe('InvalidInvite')
  expect((await operate('/invites', 'POST', { maxUses: 0 })).status).toBe(400)
  const anonymous = await ask('/operator/invites')
  expect(anonymous.status).toBe(401)
})

test('the number of members is limited', async () => {
  const code = (await operate('/invites', 'POST', { maxUses: 10 })).body['code']
  const handles = ['e.test', 'f.test', 'g.test']
  const accounts = await Promise.all(handles.map((handle) => plc.create({ handle })))
  // Redeeming takes the seat, before any of them reads: Alice and Carol have the other two.
  const redeemed = await Promise.all(accounts.map((account) => as(account, REDEEM, { code })))
  expect(redeemed.map(({ status }) => status).toSorted()).toEqual([200, 400, 400])
  const reads = await Promise.all(accounts.map((account) => as(account, READ)))
  const isIn = redeemed.map(({ status }) => status === 200)
  expect(reads.map(({ status }) => status === 200)).toEqual(isIn)
  const refused = redeemed.find(({ status }) => status === 400)
  expect(refused?.body['message']).toBe('This server is full: it takes no more members.')
})

test('the page of a running server has its form, and is charged for', async () => {
  const answer = await fetch(`${origin}/invite`)
  expect(answer.status).toBe(200)
  const page = await answer.text()
  expect(page).toMatch(/<form [^>]*method="post" action="\/invite">/)
  const status = await (await fetch(origin, { headers: { accept: 'text/html' } })).text()
  const frame = /<link rel="stylesheet" href="([^"]+page\.css)">[\s\S]*<header class="bar">/
  expect(frame.exec(page)?.[1]).toBe(frame.exec(status)![1])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
})

const BOB = 'did:plc:bob234bob234bob234bob234'
const CAROL = 'did:plc:carol34carol34carol34car'

/** The page alone, with a network of one handle and DID, and an index with another account. */
function pageOf(network?: Pick<Resolver, 'resolve' | 'resolveHandle'>) {
  const redeemed: [string, string][] = []
  const invites = {
    isOn: true,
    async redeem(did: string, code: string) {
      if (code !== 'good') throw invalidRequest('This invite code is not valid.', 'InvalidInvite')
      redeemed.push([did, code])
    },
  }
  const resolver = network ?? {
    async resolveHandle(handle: string) {
      if (handle === 'away.test') throw new Error('the network is away')
      return handle === 'alice.test' ? 'did:plc:alice' : undefined
    },
    async resolve(did: string) {
      return did === CAROL ? ({ did } as Identity) : undefined
    },
  }
  const log = { info() {}, error() {} }
  const app = new Hono()
  const known = (actor: string) => (actor === 'bob.test' || actor === BOB ? BOB : undefined)
  const parts = { us: US, invites, resolver, known, log }
  for (const { path, app: item } of inviteRoutes(parts)) {
    app.route(path, item)
  }
  const send = async (form: Record<string, string> | string) => {
    const answer = await app.request('/invite', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { send, redeemed, app }
}

test('a person enters handle and code', async () => {
  const { send, redeemed } = pageOf()
  const good = await send({ handle: ' @Alice.Test ', code: 'good' })
  expect(good.status).toBe(200)
  expect(good.text).toContain('<strong>alice.test</strong> can read here now')
  // The settings that each kind of client needs next.
  for (const setting of [SERVICE_DID, PUBLIC_ORIGIN]) {
    expect(good.text).toContain(`<code>${setting}</code>`)
  }
  expect(redeemed).toEqual([['did:plc:alice', 'good']])
})

test.each([
  ['a handle that the index knows, and the network does not', 'bob.test', BOB],
  ['a DID that the index knows', BOB, BOB],
  ['a DID that the directory knows', ` ${CAROL} `, CAROL],
])('%s may be entered', async (_what, handle, did) => {
  const { send, redeemed } = pageOf()
  expect((await send({ handle, code: 'good' })).status).toBe(200)
  expect(redeemed).toEqual([[did, 'good']])
})

test.each([
  ['an unknown DID', { handle: 'did:plc:nobody', code: 'good' }, 400, 'no such account'],
  ['a wrong code', { handle: 'alice.test', code: 'bad' }, 400, 'not valid'],
  ['an unknown handle', { handle: 'nobody.test', code: 'good' }, 400, 'no such account'],
  ['an invalid handle', { handle: 'alice', code: 'good' }, 400, 'not a handle'],
  ['an empty form', {}, 400, 'not a handle'],
  ['an unreachable network', { handle: 'away.test', code: 'good' }, 503, 'Try again'],
])('%s is reported, and can be corrected', async (_what, form, status, words) => {
  const { send } = pageOf()
  const got = await send(form)
  expect(got.status).toBe(status)
  expect(got.text).toContain(words)
  expect(got.text).toContain('<form')
})

test('input stays text, in every field', async () => {
  const { send } = pageOf()
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`
  for (const form of [
    { handle: evil, code: evil },
    { handle: 'alice.test', code: evil },
  ]) {
    const { text, headers } = await send(form)
    expect(text.replace(/<script src="\/page\/assets\/[^"]+"><\/script>/, '')).not.toMatch(
      /<script|<img/i,
    )
    expect(text).toContain('&#60;script&#62;')
    const policy = headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
  }
})

test('a form of any size costs no more than a small one', async () => {
  const { send } = pageOf()
  expect((await send(`handle=${'x'.repeat(10_000)}&code=good`)).status).toBe(413)
})

test('an account that can’t be looked up now is not said to be missing', async () => {
  const away = async () => {
    throw new IdentityUnavailableError('the network gives no answer')
  }
  const { send, redeemed } = pageOf({ resolve: away, resolveHandle: away })
  for (const handle of ['zoe.example.org', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz']) {
    const { status, text } = await send({ handle, code: 'good' })
    expect([status, text]).toEqual([503, expect.stringContaining('can’t be looked up right now')])
    expect(text).not.toContain('no such account')
  }
  expect(redeemed).toEqual([])
})

test('where codes admit no one there is no page', () => {
  const nothing = { resolver: {} as never, log: {} as never, known: () => undefined }
  const parts = { us: US, ...nothing }
  expect(inviteRoutes({ ...parts, invites: { isOn: false, redeem: async () => {} } })).toEqual([])
})
