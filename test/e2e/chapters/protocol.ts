// The service itself as seen by a PDS, a client and an impostor.

import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import type { Account } from '../support/account.ts'
import { follow, post } from '../support/account.ts'
import { texts, timelinePage } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'

export function protocolChapter(world: () => World): void {
  test('the DID document names the service where a client looks for it, readable from any page', async () => {
    const { origin, did } = world().slipstream
    const answer = await fetch(`${origin}/.well-known/did.json`)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toMatchObject({
      id: did,
      service: [
        { id: '#bsky_appview', type: 'BskyAppView', serviceEndpoint: origin },
        { id: '#bsky_fg', type: 'BskyFeedGenerator', serviceEndpoint: origin },
      ],
    })
    const health = (await (await fetch(`${origin}/xrpc/_health`)).json()) as { version: string }
    expect(health.version).toMatch(/^\d/)
  })

  test('mistakes get the error names that clients know, also through the PDS', async () => {
    const { client, raw } = await world().person('alice')
    for (const mistake of ['limit=0', 'limit=101', 'limit=ten', 'cursor=rubbish']) {
      const answer = await raw(`/xrpc/${TIMELINE}?${mistake}`)
      expect(answer.status, mistake).toBe(400)
      expect(await answer.json(), mistake).toMatchObject({ error: 'InvalidRequest' })
    }
    const nobody = { actor: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' } as const
    await expect(client().call(app.bsky.actor.getProfile, nobody)).rejects.toMatchObject({
      error: 'InvalidRequest',
      message: 'Profile not found',
    })
    const unknown = await raw('/xrpc/app.bsky.unspecced.getWhatNobodyServes')
    expect(unknown.status).toBe(501)
    expect(await unknown.json()).toMatchObject({ error: 'MethodNotImplemented' })
  })

  test('a token is valid only for its audience, its method and its time', async () => {
    const alice = await world().person('alice')
    const { did } = world().slipstream
    const ask = (token?: string) => askDirectly(world(), token)
    expect(await ask()).toMatchObject({ status: 401, error: 'AuthMissing' })
    expect(await ask('rubbish')).toMatchObject({ status: 401, error: 'BadJwt' })
    expect(await ask(await token(alice, did, TIMELINE))).toMatchObject({ status: 200 })
    expect(await ask(await token(alice, `${did}#bsky_appview`, TIMELINE))).toMatchObject({
      status: 200,
    })
    expect(await ask(await token(alice, 'did:web:elsewhere.test', TIMELINE))).toMatchObject({
      status: 401,
      error: 'BadJwtAudience',
    })
    expect(await ask(await token(alice, did, 'app.bsky.feed.getPosts'))).toMatchObject({
      status: 401,
      error: 'BadJwtLexiconMethod',
    })
    const [head, claims, signature = ''] = (await token(alice, did, TIMELINE)).split('.')
    const forged = `${head}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect(await ask(forged)).toMatchObject({ status: 401, error: 'BadJwtSignature' })
  })

  test('pages neither skip nor repeat while new posts arrive, and a changed cursor is refused', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await follow(alice, bob)
    const written = Array.from({ length: 30 }, (_, i) => `page test ${i}`)
    for (const text of written) await post(bob, text)
    await eventually(async () => {
      expect(texts((await timelinePage(alice)).feed)).toEqual(written.toReversed())
    })
    const found: string[] = []
    let cursor: string | undefined
    for (let i = 0; i === 0 || cursor; i++) {
      const page = await timelinePage(alice, { limit: 7, ...(cursor && { cursor }) })
      found.push(...texts(page.feed))
      cursor = page.cursor
      if (i < 3) await post(bob, `meanwhile ${i}`)
    }
    expect(found).toEqual(written.toReversed())
    const first = await timelinePage(alice, { limit: 7 })
    const tampered = `${first.cursor}`.replace(/^\d/, 'x')
    await expect(timelinePage(alice, { cursor: tampered })).rejects.toMatchObject({
      error: 'InvalidRequest',
    })
  })
}

async function token(account: Account, aud: string, lxm: string): Promise<string> {
  const { data } = await account.agent.com.atproto.server.getServiceAuth({ aud, lxm })
  return data.token
}

async function askDirectly({ slipstream }: World, jwt?: string) {
  const answer = await fetch(`${slipstream.origin}/xrpc/${TIMELINE}`, {
    ...(jwt !== undefined && { headers: { authorization: `Bearer ${jwt}` } }),
  })
  const { error } = (await answer.json()) as { error?: string }
  return { status: answer.status, error }
}
