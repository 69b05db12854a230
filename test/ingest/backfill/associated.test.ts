// Records that link cards name, fetched from their accounts' servers: the version that the post names, or nothing.

import { afterEach, expect, it } from 'vitest'
import { unpackCid } from '../../../src/base/atproto/keys.ts'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import {
  cardEmbed,
  DOCUMENT,
  documentRecord,
  PUBLICATION,
  publicationRecord,
} from '../../support/long-form.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

let world: BackfillWorld
afterEach(() => world.close())

const atMs = Date.parse('2026-01-01T00:00:00.000Z')

const versions = () =>
  world.db
    .prepare<[], { cid: Buffer; isHere: 0 | 1; missed: 0 | 1 }>(
      `SELECT cid, record IS NOT NULL AS isHere, missed_at IS NOT NULL AS missed
        FROM associated_records ORDER BY collection`,
    )
    .all()
    .map(({ cid, isHere, missed: overdue }) => [unpackCid(cid), isHere, overdue])

function put(account: PdsAccount, collection: string, rkey: string, value: JsonObject) {
  return refOf(account.put({ collection, rkey, value: { $type: collection, ...value }, atMs }))
}

async function startWithBlog() {
  world = await startBackfillWorld({ hosts: 2 })
  const [member, blogger] = [await world.person('member'), await world.person('blogger', 1)]
  world.member(member)
  world.backfill.start()
  await world.settled()
  const site = `at://${blogger.did}/${PUBLICATION}/self`
  const article = put(blogger, DOCUMENT, '3kaaaaaaaaaaa', documentRecord(site))
  const publication = put(blogger, PUBLICATION, 'self', publicationRecord())
  return { member, blogger, article, publication }
}

/** The member's post arrives; resolves once nothing is left to do. */
async function post(member: PdsAccount, refs: { uri: string; cid: string }[]): Promise<void> {
  world.live(world.post(member, 'read this', { record: { embed: cardEmbed(refs) } }))
  world.backfill.wake()
  await world.settled()
}

it('arrive with the post, in the versions that it names', async () => {
  const { member, article, publication } = await startWithBlog()
  await post(member, [article, publication])
  expect(versions()).toEqual([
    [article.cid, 1, 0],
    [publication.cid, 1, 0],
  ])
})

it('do not arrive in another version, or if they are gone, and are not requested again at once', async () => {
  const { member, blogger, article, publication } = await startWithBlog()
  put(blogger, PUBLICATION, 'self', publicationRecord({ name: 'Renamed' }))
  blogger.remove(DOCUMENT, '3kaaaaaaaaaaa', atMs)
  await post(member, [article, publication])
  expect(versions()).toEqual([
    [article.cid, 0, 1],
    [publication.cid, 0, 1],
  ])
  const requested: string[] = []
  world.hosts[1]!.onRequest(({ method }) => void requested.push(method))
  await post(member, [article, publication])
  expect(requested.filter((method) => method.endsWith('getRecord'))).toEqual([])
})
