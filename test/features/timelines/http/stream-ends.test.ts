// When the streams of /v1 end: with the member's token and a minute more, with a change of the member's identity,
// with membership, and with a program's token. Real tokens over a clock that the test moves. An ended stream is
// written to no more, whether or not its client reads.

import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../../src/base/config/config.ts'
import { MEMBER } from '../../../../src/data/graph/types.ts'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { type Access, createAccess } from '../../../../src/features/timelines/http/access.ts'
import { createLiveFeed } from '../../../../src/features/timelines/http/live-feed.ts'
import { createLineStreams } from '../../../../src/features/timelines/http/ndjson.ts'
import { createStreams, type Streams } from '../../../../src/features/timelines/http/streams.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import {
  insertServiceToken,
  newServiceToken,
  revokeServiceToken,
  tokenDigest,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import { createAppend } from '../../../../src/features/timelines/writing/append.ts'
import { createOverload } from '../../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../../src/http/overload/rate-limits.ts'
import type { HttpRequest } from '../../../../src/http/server/http-request.ts'
import { until } from '../../../support/eventually.ts'
import {
  type IdentityWorld,
  SERVICE_DID,
  startIdentityWorld,
} from '../../../support/identity-world.ts'
import type { PlcAccount } from '../../../support/plc-double.ts'
import { signServiceJwt } from '../../../support/service-jwt.ts'
import { createWorld, type World } from '../../../support/world.ts'

const LXM = 'io.slipstream.timelines.read'

let identity: IdentityWorld
let alice: PlcAccount
let world: World
let streams: Streams
let server: Server
const sockets = new Set<Socket>()
const responses: ServerResponse[] = []
let changed: (dids: readonly string[]) => void = () => undefined

beforeEach(async () => {
  identity = await startIdentityWorld()
  alice = await identity.plc.create({ handle: 'alice.test' })
  world = createWorld({ scope: 'network' })
  world.profile(alice.did, { displayName: 'Alice' })
  world.member(alice.did)
  await serve()
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  responses.length = 0
  streams.close()
  server.close()
  world.dispose()
  await identity.close()
})

function createAccessTo(): Access {
  const { actors } = world.memory
  const isMember = (did: string) => (actors.flagsOf(actors.uidOf(did)) & MEMBER) !== 0
  const buffers = createRateBuffers()
  return createAccess({
    db: world.reader,
    serviceAuth: identity.serviceAuth,
    overload: createOverload({ config: loadConfig({}, '/nowhere/.env'), buffers, isMember }),
    onViewer: () => undefined,
    isMember: (did) => isMember(did) && !left.has(did),
    onIdentitiesChanged: (listener) => {
      changed = listener
    },
    now: identity.now,
  })
}

/** Accounts whose membership ended. */
const left = new Set<string>()

/** Serves streams at their key, and an endless list at `/lines`. */
async function serve(): Promise<void> {
  left.clear()
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts, new InvalidationReader(world.invalidations.buffer))
  const open = createOpenSource(parts, readers)
  const access = createAccessTo()
  const onError = (error: unknown) => {
    throw error
  }
  streams = createStreams({
    feed: createLiveFeed(parts, readers),
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    begin: readers.begin,
    invalidations: world.invalidations.buffer,
    onError,
  })
  const lines = createLineStreams(onError)
  server = createServer(async (incoming, response) => {
    responses.push(response)
    const header = (name: string) => incoming.headers[name]?.toString()
    const asker = await access({ header, remoteAddress: '127.0.0.1' } as HttpRequest)
    if (incoming.url === '/lines') {
      const read = () => ({ lines: ['x'.repeat(1_000)], next: 'more' })
      return lines.send(response, { asker, read }, undefined)
    }
    const keys = parseTimelineKey(decodeURIComponent(incoming.url!.slice(1)))
    const sources = keys.map((key) => open(key)!)
    streams.listen({ keys, sources, from: undefined, asker }, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
}

/** Opens a stream; it has begun once this resolves. */
async function listen(key: string, token: string) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.add(socket)
  const heard = { text: '', isOver: false }
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    heard.text += chunk
    if (heard.text.endsWith('0\r\n\r\n')) heard.isOver = true
  })
  socket.on('close', () => {
    heard.isOver = true
  })
  socket.write(
    `GET /${encodeURIComponent(key)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  await until(() => heard.text.includes('\r\n\r\n'))
  return { heard, socket }
}

function tokenOf({ did, keypair } = alice, seconds = 60): Promise<string> {
  const iat = Math.floor(identity.now() / 1000)
  return signServiceJwt(keypair, { iss: did, aud: SERVICE_DID, lxm: LXM, iat, exp: iat + seconds })
}

function createToken(): string {
  const token = newServiceToken()
  const request = { name: 'program', digest: tokenDigest(token), scopes: ['read:*'], rate: 0 }
  world.run((ctx) => insertServiceToken(ctx.db, { ...request, expiresAt: null }, identity.now()))
  return token
}

const key = () => `author:${alice.did}`

/** Resolves once each stream was checked at least once since. */
async function checked(): Promise<void> {
  await once(AbortSignal.timeout(1_500), 'abort')
}

test('a member’s stream lasts a minute longer than the token', async () => {
  const { heard } = await listen(key(), await tokenOf(alice, 60))
  const { heard: later } = await listen(key(), await tokenOf(alice, 600))
  identity.advance(115_000)
  await checked()
  world.post(alice.did, 'still heard')
  await until(() => heard.text.includes('still heard') && later.text.includes('still heard'))
  expect([heard.isOver, later.isOver]).toEqual([false, false])
  identity.advance(6_000)
  await until(() => heard.isOver)
  world.post(alice.did, 'not heard')
  await until(() => later.text.includes('not heard'))
  expect(heard.text).not.toContain('not heard')
  expect(later.isOver).toBe(false)
})

test('it ends as soon as the member’s identity may have changed, and another may begin', async () => {
  const bob = await identity.plc.create({ handle: 'bob.test' })
  world.profile(bob.did, { displayName: 'Bob' })
  world.member(bob.did)
  const token = await tokenOf()
  const { heard } = await listen(key(), token)
  const { heard: bobs } = await listen(`author:${bob.did}`, await tokenOf(bob))
  const second = { ...alice, keypair: await identity.plc.rotate(alice.did) }
  identity.resolver.doubt(alice.did)
  changed([alice.did])
  await until(() => heard.isOver)
  const { heard: anew } = await listen(key(), await tokenOf(second))
  await checked()
  world.post(alice.did, 'by the new key')
  await until(() => anew.text.includes('by the new key'))
  expect([anew.isOver, bobs.isOver]).toEqual([false, false])
  expect(heard.text).not.toContain('by the new key')
})

test('it ends with the membership', async () => {
  const { heard } = await listen(key(), await tokenOf())
  left.add(alice.did)
  await until(() => heard.isOver)
})

test('an ended stream is written to no more, even if its client reads nothing', async () => {
  post()
  const { socket } = await listen('custom:large', createToken())
  const response = responses[0]!
  const errors: unknown[] = []
  response.on('error', (error) => errors.push(error))
  socket.pause()
  // As much as fits into the sockets, and a little more: the stream is still live.
  const more = () => {
    if (response.writableLength === 0) post()
    return response.writableLength > 0
  }
  await until(more, { pollMs: 100 })
  world.run((ctx) => revokeServiceToken(ctx.db, 'program', identity.now()))
  await until(() => response.writableEnded)
  expect(response.writableFinished).toBe(false)
  post()
  await checked()
  expect(errors).toEqual([])
}, 60_000)

test('a list of a program is cut off when its token is revoked, and does not look complete', async () => {
  const { heard, socket } = await listen('lines', createToken())
  await until(() => heard.text.length > 100_000)
  world.run((ctx) => revokeServiceToken(ctx.db, 'program', identity.now()))
  await once(socket, 'close')
  expect(heard.text.endsWith('0\r\n\r\n')).toBe(false)
})

const append = createAppend()
let posts = 0

/** A large event of a program, which open streams hear of. */
function post(): void {
  const entityId = String(posts++)
  const payload = JSON.stringify('x'.repeat(60_000))
  const event = {
    entityId,
    entityType: 'note',
    payload,
    producerTs: 1,
    body: Buffer.from(entityId),
  }
  const item = { ...event, name: 'large', key: undefined, numbered: undefined }
  world.run((ctx) => append(ctx.db, [item], posts))
}
