// The operator hides and bans: through the command line, the operator's route, and the methods that
// moderation services call; a complete process, real tokens, and a log of who did what.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobSubject } from '../../../src/data/store/moderation/takedowns.ts'
import type { ModerationAnswer, ModerationLists } from '../../../src/http/operator/moderation.ts'
import { blobCid } from '../../support/blob-host.ts'
import { cliJson, runCli } from '../../support/cli.ts'
import { hasFeature } from '../../support/feature-parts.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { tidAt } from '../../support/records.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const TOKEN = ['a', 'token', 'for', 'tests'].join('-')
const SERVICE_DID = 'did:web:appview.example.org'
const POST = 'app.bsky.feed.post'
const CID = blobCid(Buffer.from('a picture'))
const ADMIN = `Basic ${Buffer.from(`admin:${TOKEN}`).toString('base64')}`

let plc: PlcDouble
let stream: JetstreamDouble
let [reader, author]: PlcAccount[] = []
let env: Record<string, string>
let server: SlipstreamProcess
let origin: string
let uri: string

beforeAll(async () => {
  plc = await startPlcDouble()
  stream = await createJetstreamDouble()
  const create = (name: string) => plc.create({ handle: `${name}.test`, pds: 'http://127.0.0.1:9' })
  ;[reader, author] = [await create('reader'), await create('author')]
  env = {
    HOSTNAME: 'appview.example.org',
    DATA_DIR: freshDataDir(),
    JETSTREAM_HOSTS: stream.url,
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    INDEX_SCOPE: 'network',
    IMAGES: 'own',
    OPERATOR_TOKEN: TOKEN,
  }
  await start()
  const rkey = tidAt(Date.now() * 1000)
  uri = `at://${author!.did}/${POST}/${rkey}`
  const image = { $type: 'blob', ref: { $link: CID }, mimeType: 'image/png', size: 9 }
  const embed = { $type: 'app.bsky.embed.images', images: [{ alt: '', image }] }
  const record = { $type: POST, text: 'hello', createdAt: new Date().toISOString(), embed }
  stream.emit({ did: author!.did, operation: 'create', collection: POST, rkey, record })
})

afterAll(async () => {
  await server.stop('SIGKILL')
  await stream.close()
  await plc.close()
})

async function start(): Promise<void> {
  server = startSlipstream(env)
  origin = `http://127.0.0.1:${await server.port()}`
}

async function call(nsid: string, headers: Record<string, string> = {}, body?: unknown) {
  const method = body === undefined ? 'GET' : 'POST'
  const answer = await fetch(`${origin}/xrpc/${nsid}`, {
    method,
    headers: { ...headers, ...(method === 'POST' && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function asReader(nsid: string) {
  const claims = { iss: reader!.did, aud: SERVICE_DID, lxm: nsid }
  const token = await signServiceJwt(reader!.keypair, claims)
  return call(nsid, { authorization: `Bearer ${token}` })
}

async function visiblePosts(): Promise<number> {
  const { body } = await call(`app.bsky.feed.getPosts?uris=${encodeURIComponent(uri)}`)
  return (body['posts'] as unknown[]).length
}

const moderation = (...args: string[]) => cliJson<ModerationAnswer>(env, ['moderation', ...args])
const lists = () => cliJson<ModerationLists>(env, ['moderation', 'list'])

test('hides a post with its picture by its URL, and shows it again, with the server running', async () => {
  await expect.poll(visiblePosts).toBe(1)
  const address = `https://bsky.app/profile/${author!.did}/post/${uri.split('/').at(-1)}`
  const hidden = await moderation('hide', address, '--reason', 'unfit', '--by', 'anna')
  expect(hidden).toEqual({ subject: uri, changed: true, blobs: 1 })
  expect(await visiblePosts()).toBe(0)
  if (hasFeature('media')) {
    const picture = await fetch(`${origin}/img/feed_thumbnail/plain/${author!.did}/${CID}@jpeg`)
    expect(await picture.json()).toMatchObject({ error: 'BlobNotFound', message: /operator/ })
  }
  expect(await lists()).toMatchObject({
    takedowns: [{ subject: uri, about: '“hello”' }],
    log: [{ act: 'hide', subject: uri, by: 'anna', reason: 'unfit' }],
  })
  expect(await moderation('hide', uri)).toMatchObject({ changed: false })
  expect(await moderation('show', uri)).toMatchObject({ changed: true })
  expect(await visiblePosts()).toBe(1)
  const nonsense = await runCli(env, ['moderation', 'hide', 'not a name'])
  expect(nonsense).toMatchObject({ code: 1, stderr: expect.stringMatching(/neither an account/) })
})

test('refuses a banned member at once, no longer lists it, and readmits it when allowed', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const members = async () => {
    const answer = await fetch(`${origin}/operator/members`, { headers })
    return ((await answer.json()) as { members: { did: string }[] }).members
  }
  expect((await asReader('app.bsky.feed.getTimeline')).status).toBe(200)
  await expect.poll(members).toMatchObject([{ did: reader!.did }])
  const ask = (act: string) =>
    fetch(`${origin}/operator/moderation`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ act, subject: reader!.did, reason: 'spam' }),
    })
  expect(await (await ask('ban')).json()).toMatchObject({ changed: true })
  expect(await members()).toEqual([])
  const refused = await asReader('app.bsky.feed.getTimeline')
  expect(refused).toMatchObject({ status: 403, body: { error: 'AccountBanned' } })
  const added = await runCli(env, ['member', 'add', reader!.did, '--no-wait'])
  expect(added).toMatchObject({ code: 1, stderr: expect.stringMatching(/is banned/) })
  await ask('allow')
  expect((await asReader('app.bsky.feed.getTimeline')).status).toBe(200)
  await expect.poll(members).toMatchObject([{ did: reader!.did }])
})

test('lets a moderation service hide and query over XRPC, with the operator’s token as the password', async () => {
  const update = 'com.atproto.admin.updateSubjectStatus'
  const strong = { $type: 'com.atproto.repo.strongRef', uri, cid: CID }
  const takedown = { applied: true, ref: 'case 7' }
  for (const authorization of ['', 'Basic YWRtaW46eA==', `Bearer ${TOKEN}`]) {
    const refused = await call(update, { authorization }, { subject: strong, takedown })
    expect(refused.status).toBe(401)
  }
  const headers = { authorization: ADMIN }
  expect((await call(update, headers, { subject: strong, takedown })).status).toBe(200)
  expect(await visiblePosts()).toBe(0)
  const status = (query: string) => call(`com.atproto.admin.getSubjectStatus?${query}`, headers)
  const about = await status(`uri=${encodeURIComponent(uri)}`)
  expect(about.body).toMatchObject({ subject: { uri }, takedown })
  await call(update, headers, { subject: strong, takedown: { applied: false } })
  expect(await visiblePosts()).toBe(1)
  const repo = { $type: 'com.atproto.admin.defs#repoRef', did: author!.did }
  const blob = { $type: 'com.atproto.admin.defs#repoBlobRef', did: author!.did, cid: CID }
  for (const subject of [repo, blob]) await call(update, headers, { subject, takedown })
  expect(await visiblePosts()).toBe(0)
  expect((await status(`did=${author!.did}`)).body).toMatchObject({ takedown: { applied: true } })
  expect((await status(`did=${author!.did}&blob=${CID}`)).body).toMatchObject({ takedown })
  expect((await status('did=did:plc:nobodyofthisname')).body).toMatchObject({ error: 'NotFound' })
})

test('tags through the command line, with and without a server, and only with tags in the settings', async () => {
  expect(await moderation('tag', uri, 'search-hide', '--by', 'anna')).toMatchObject({
    changed: true,
  })
  expect(await moderation('tag', author!.did, 'thread-hide')).toMatchObject({ changed: true })
  expect(await moderation('tag', uri, 'search-hide')).toMatchObject({ changed: false })
  expect(await lists()).toMatchObject({
    tags: expect.arrayContaining([
      { subject: uri, tag: 'search-hide', at: expect.any(String), about: '“hello”' },
    ]),
    log: expect.arrayContaining([
      expect.objectContaining({ act: 'tag', tag: 'search-hide', subject: uri, by: 'anna' }),
    ]),
  })
  const misspelt = ['moderation', 'tag', uri, 'search-hied']
  const refused = {
    code: 1,
    stderr: expect.stringMatching(/search-hide, search-hide-all, thread-hide/),
  }
  expect(await runCli(env, misspelt)).toMatchObject(refused)
  await server.stop('SIGTERM')
  expect(await runCli(env, misspelt)).toMatchObject(refused)
  expect(await moderation('untag', author!.did, 'thread-hide')).toMatchObject({ changed: true })
  expect((await lists()).tags).toMatchObject([{ subject: uri, tag: 'search-hide' }])
  await start()
})

test('keeps takedowns across a restart, and without a server', async () => {
  await server.stop('SIGTERM')
  const subjects = (await lists()).takedowns.map(({ subject }) => subject)
  expect(subjects.sort()).toEqual([author!.did, blobSubject(author!.did, CID)])
  await start()
  expect(await visiblePosts()).toBe(0)
  await server.stop('SIGTERM')
  expect(await moderation('show', author!.did)).toMatchObject({ changed: true })
  await start()
  expect(await visiblePosts()).toBe(1)
})
