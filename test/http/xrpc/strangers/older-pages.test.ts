// A member reads a stranger's page to its end, and a stranger's list, on servers whose listings can't be trusted:
// what is older than the first page comes from the repository's file, or from reading all again.

import { afterEach, expect, test } from 'vitest'
import { arroba, cocoon, inventions, pegasus, withoutFile } from '../../../support/foreign-pds.ts'
import type { PdsAccount } from '../../../support/pds-double.ts'
import { didOf } from '../../../support/records.ts'
import {
  passTime,
  type StrangersWorld,
  startStrangersWorld,
  write,
} from '../../../support/strangers-world.ts'

const POST = 'app.bsky.feed.post'
const LIST = 'app.bsky.graph.list'
const ITEM = 'app.bsky.graph.listitem'
const alice = didOf('alice')

let world: StrangersWorld
afterEach(() => world.stop())

const softwares = [
  ['arroba', arroba()],
  ['arroba without getRepo', arroba({ hasNoFile: true })],
  ['cocoon', cocoon],
  ['pegasus', pegasus],
  ['a server without an order', inventions.scattered],
  ['a server without an order or a file', withoutFile(inventions.scattered)],
] as const

type Page = {
  feed?: { post: { uri: string } }[]
  items?: { subject: { did: string } }[]
  cursor?: string
}

/** Reads page after page, to the end. */
async function readAll(method: string, params: object): Promise<string[]> {
  const visible: string[] = []
  let cursor: string | undefined
  do {
    const { status, body } = await world.w.ask<Page>(method, { ...params, cursor }, alice)
    expect(status).toBe(200)
    visible.push(...(body.feed ?? []).map(({ post }) => post.uri))
    visible.push(...(body.items ?? []).map(({ subject }) => subject.did))
    cursor = body.cursor
  } while (cursor !== undefined && visible.length < 2_000)
  return visible
}

/** An old post is edited: where the last write counts, it is listed before all others. */
function edit(author: PdsAccount, uri: string): void {
  const rkey = uri.split('/').at(-1)!
  const value = { ...author.collections.get(POST)!.get(rkey)!.value, text: 'edited' }
  author.put({ collection: POST, rkey, value, atMs: passTime() })
}

test.each(softwares)('all posts of a stranger on %s', async (_, software) => {
  world = await startStrangersWorld()
  const eve = await world.person('eve')
  const posts = Array.from({ length: 330 }, (_, i) => write(eve, POST, { text: `post ${i}` }).uri)
  edit(eve, posts[7]!)
  world.pds.runs(software)
  const visible = await readAll('app.bsky.feed.getAuthorFeed', { actor: eve.did, limit: 50 })
  expect(visible).toEqual(posts.toReversed())
})

test.each(softwares)('all accounts of a list of a stranger on %s', async (_, software) => {
  world = await startStrangersWorld()
  const eve = await world.person('eve')
  const { uri: list } = write(eve, LIST, {
    name: 'people',
    purpose: 'app.bsky.graph.defs#curatelist',
  })
  const listed: string[] = []
  for (const name of ['mallory', 'oscar', 'peggy', 'trent']) {
    const { did } = await world.person(name)
    for (let i = 0; i < 60; i++)
      write(eve, ITEM, { list: `${list}x${i}`, subject: didOf(`${name}${i}`) })
    write(eve, ITEM, { list, subject: did })
    listed.push(did)
  }
  world.pds.runs(software)
  const visible = await readAll('app.bsky.graph.getList', { list, limit: 3 })
  expect(visible).toEqual(listed.toReversed())
})
