// A member's things go back to the AppView used before, in a real browser: what this server keeps is written there, the
// oldest first, after a permission of its own. And nothing that a server answered stays in the worker's files.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: the way back is NOT tested (apt-get install chromium)')

const PREVIOUS = 'did:web:appview.elsewhere.example#bsky_appview'
const FOR_ANYONE = { 'access-control-allow-origin': '*' }

describe.skipIf(!path)('away again', () => {
  let world: ClientWorld
  let reader: Reader
  /** What the other AppView was told. */
  const notified: { method: string; input: Record<string, unknown> }[] = []
  let failures = 0

  beforeAll(async () => {
    world = await startClientWorld({ settings: { PREVIOUS_APPVIEW: PREVIOUS } })
    reader = await world.open()
    await reader.page.route(`${world.simulation.servers.origin}/xrpc/**`, (route) => {
      const request = route.request()
      if (request.headers()['atproto-proxy'] !== PREVIOUS) return route.continue()
      if (failures-- > 0) return route.fulfill({ status: 503, headers: FOR_ANYONE, json: {} })
      const method = new URL(request.url()).pathname.split('/').at(-1)!
      notified.push({ method, input: request.postDataJSON() as Record<string, unknown> })
      return route.fulfill({ status: 200, headers: FOR_ANYONE, body: '' })
    })
  })
  afterAll(() => world?.close())

  async function tell(lxm: string, input: object): Promise<void> {
    const { member, origin, simulation, homes } = world
    const jwt = await simulation.servers.serviceJwt({
      iss: member.did,
      aud: homes.appview!.did,
      lxm,
    })
    const answer = await fetch(`${origin}/xrpc/${lxm}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    expect([lxm, answer.status]).toEqual([lxm, 200])
  }

  test('mutes, bookmarks and drafts are written there, the oldest first, also if it stumbles', async () => {
    const { page } = reader
    await world.signIn(reader)
    await page.locator('.feed .post').first().waitFor()
    const [first, second] = world.simulation.network.repositories
    for (const account of [first!, second!])
      await tell('app.bsky.graph.muteActor', { actor: account.did })
    const [rkey, { cid }] = [...first!.collections.get('app.bsky.feed.post')!][0]!
    const uri = `at://${first!.did}/app.bsky.feed.post/${rkey}`
    await tell('app.bsky.bookmark.createBookmark', { uri, cid })
    await tell('app.bsky.draft.createDraft', { draft: { posts: [{ text: 'half a thought' }] } })

    failures = 2
    await page.goto(`${world.origin}/read/settings`)
    await page.click('#leave-with')
    await page.locator('.moved').waitFor()
    expect(await page.innerText('.moved')).toMatch(/, 0 refused\.$/)
    expect(new URL(page.url()).search).toBe('')
    const of = (method: string) => notified.filter((item) => item.method === method)
    expect(of('app.bsky.graph.muteActor').map(({ input }) => input['actor'])).toEqual([
      first!.did,
      second!.did,
    ])
    expect(of('app.bsky.bookmark.createBookmark')).toEqual([
      { method: 'app.bsky.bookmark.createBookmark', input: { uri, cid } },
    ])
    expect(JSON.stringify(of('app.bsky.draft.createDraft'))).toContain('half a thought')
  })

  test('the worker keeps the client’s own files, and no answer of a server', async () => {
    const { page, troubles } = reader
    const stored = `(async () => {
      const all = []
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) all.push(new URL(url).pathname)
      return all
    })()`
    await eventually(async () => expect(await page.evaluate(stored)).toContain('/read'))
    const paths = (await page.evaluate(stored)) as string[]
    expect(
      paths.filter((path) => !/^\/read(\/assets\/.+)?$|^\/oauth\/assets\//.test(path)),
    ).toEqual([])
    expect(troubles).toEqual([])
  })
})
