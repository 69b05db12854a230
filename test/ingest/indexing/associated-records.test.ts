// Records that link cards name: which versions are stored, by random operations against a naive model, and the
// cases that the model leaves out.

import { afterEach, describe, expect, it } from 'vitest'
import { associatedCollections, collectionCodes } from '../../../src/base/atproto/collections.ts'
import type { PackedRkey } from '../../../src/base/atproto/keys.ts'
import { unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import { fetchMissing } from '../../../src/ingest/indexing/fetch-missing.ts'
import { removeSlice } from '../../../src/ingest/indexing/removal/removal-slices.ts'
import {
  cardEmbed,
  DOCUMENT,
  documentRecord,
  type Pinned,
  PUBLICATION,
  publicationRecord,
} from '../../support/long-form.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { cidOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
afterEach(() => world.dispose())

const nameOf = ({ uri, cid }: Pinned) => `${uri} ${cid}`

function stored({ isHere }: { isHere: boolean }): string[] {
  const rows = world.db
    .prepare<[], { did: string; collection: number; rkey: PackedRkey; cid: Buffer }>(
      `SELECT did, collection, rkey, cid FROM associated_records r JOIN actors USING (uid)
        WHERE ${isHere ? '' : 'NOT'} record IS NOT NULL`,
    )
    .all()
  return rows
    .map(({ did, collection, rkey, cid }) => {
      const name = associatedCollections.find(
        (associatedCollection) => collectionCodes[associatedCollection] === collection,
      )
      return nameOf({ uri: `at://${did}/${name}/${unpackRkey(rkey)}`, cid: unpackCid(cid) })
    })
    .sort()
}

const jobs = () =>
  world.db.prepare<[], number>("SELECT count(*) FROM jobs WHERE kind = 'associated'").pluck().get()

/** An article in its second, third, … version. */
function versionOf(
  uri: string,
  version: number,
): { record: ReturnType<typeof documentRecord>; pin: Pinned } {
  const [, , did, , rkey] = uri.split('/')
  const record = documentRecord('https://blog.example.org', { title: `version ${version}` })
  return { record, pin: { uri, cid: cidOf([did, rkey, { $type: DOCUMENT, ...record }]) } }
}

describe('after random operations', () => {
  const seed = testSeed('associated records')

  it.each([0, 1, 2])('the versions are here that arrived and that a post names (%i)', (round) => {
    const random = createRandom(seed + round)
    world = createWorld({ members: ['ann'] })
    const model = createModel(random)
    for (let i = 0; i < 300; i++) {
      model.act()
      if (i % 20 === 0) expect(stored({ isHere: true }), `step ${i}`).toEqual(model.here())
    }
    expect(stored({ isHere: true })).toEqual(model.here())
    expect(stored({ isHere: false })).toEqual(model.missing())
    model.deletePosts()
    expect([stored({ isHere: true }), stored({ isHere: false }), jobs()]).toEqual([[], [], 0])
  })
})

function createModel(random: Random) {
  const [ann, ben] = [world.account('ann'), world.account('ben')]
  world.follow(ann, ben)
  const uris = ['3kaaaaaaaaaaa', '3kaaaaaaaaaab', 'self'].map(
    (key) => `at://${ben}/${DOCUMENT}/${key}`,
  )
  const posts = new Map<string, Set<string>>()
  const here = new Set<string>()
  const known = new Set<string>()
  const isNamed = (name: string) => [...posts.values()].some((names) => names.has(name))
  const forget = () => {
    for (const name of here) if (!isNamed(name)) here.delete(name)
  }
  const some = () => versionOf(random.pick(uris), random.below(3))
  const named = () => Array.from({ length: 1 + random.below(3) }, () => some().pin)

  function writePost(): void {
    const pins = named()
    const names = new Set(pins.map(nameOf))
    const post = world.post(random.pick([ann, ben]), { embed: cardEmbed(pins) })
    posts.set(post.uri, names)
    for (const name of names) known.add(name)
  }

  function updatePost(): void {
    const uri = random.pick([...posts.keys()])
    const pins = random.chance(0.3) ? [] : named()
    const [, , did = '', collection = '', rkey = ''] = uri.split('/')
    const record = { text: 'again', createdAt: world.isoNow(), embed: cardEmbed(pins) }
    world.write({ did, collection, rkey, operation: 'update', record })
    posts.set(uri, new Set(pins.map(nameOf)))
    forget()
  }

  function deletePost(): void {
    const uri = random.pick([...posts.keys()])
    world.delete(uri)
    posts.delete(uri)
    forget()
  }

  function writeArticle(): void {
    const { record, pin } = some()
    const [, , did = '', collection = '', rkey = ''] = pin.uri.split('/')
    world.tick()
    if (random.chance(0.3)) world.fetched({ uri: pin.uri, record: { $type: DOCUMENT, ...record } })
    else
      world.write({ did, collection, rkey, record, operation: random.pick(['create', 'update']) })
    if (isNamed(nameOf(pin))) here.add(nameOf(pin))
  }

  function deleteArticle(): void {
    const { pin } = some()
    world.delete(pin.uri)
    for (const name of here) if (name.startsWith(`${pin.uri} `)) here.delete(name)
  }

  return {
    act(): void {
      const dice = random.next()
      if (posts.size === 0 || dice < 0.3) writePost()
      else if (dice < 0.4) updatePost()
      else if (dice < 0.5) deletePost()
      else if (dice < 0.9) writeArticle()
      else deleteArticle()
    },
    here: () => [...here].sort(),
    missing: () =>
      [...new Set([...posts.values()].flatMap((names) => [...names]))]
        .filter((name) => !here.has(name))
        .sort(),
    deletePosts(): void {
      for (const uri of posts.keys()) world.delete(uri)
    },
  }
}

describe('records of link cards', () => {
  it('are requested for an author’s post, and again a day after their server had another version', () => {
    world = createWorld({ members: ['ann'] })
    const [ann, ben] = [world.account('ann'), world.account('ben')]
    const pin = versionOf(`at://${ben}/${DOCUMENT}/3kaaaaaaaaaaa`, 1).pin
    const post = world.post(ann, { embed: cardEmbed([pin]) })
    expect(jobs()).toBe(1)
    world.run(({ db, now }) => {
      db.prepare("DELETE FROM jobs WHERE kind = 'associated'").run()
      db.prepare('UPDATE associated_records SET missed_at = ?').run(now)
    })
    const show = () =>
      world.run((ctx) => fetchMissing(ctx, { uris: [`${post.uri}#card`], dids: [] }))
    show()
    expect(jobs()).toBe(0)
    world.tick(25 * 3_600_000)
    show()
    expect(jobs()).toBe(1)
  })

  it('of a stranger’s post are requested once it is shown, also if it is older than their rows', () => {
    world = createWorld({ members: ['ann'], scope: 'network' })
    const [ben, eve] = [world.account('ben'), world.account('eve')]
    const pin = versionOf(`at://${ben}/${DOCUMENT}/3kaaaaaaaaaaa`, 1).pin
    const post = world.post(eve, { embed: cardEmbed([pin]) })
    expect(jobs()).toBe(0)
    world.run(({ db }) => db.exec('DELETE FROM post_associations; DELETE FROM associated_records'))
    world.run((ctx) => fetchMissing(ctx, { uris: [`${post.uri}#card`], dids: [] }))
    expect([jobs(), stored({ isHere: false })]).toEqual([1, [nameOf(pin)]])
  })

  it('go with their account, and an older deletion removes nothing', () => {
    world = createWorld({ members: ['ann'] })
    const [ann, ben] = [world.account('ann'), world.account('ben')]
    world.follow(ann, ben)
    const uri = `at://${ben}/${PUBLICATION}/self`
    const record = publicationRecord()
    const pin = { uri, cid: cidOf([ben, 'self', { $type: PUBLICATION, ...record }]) }
    world.post(ann, { embed: cardEmbed([pin]) })
    const deletion = world.hold(() => world.delete(uri))
    world.write({ did: ben, collection: PUBLICATION, rkey: 'self', record })
    world.apply(deletion)
    expect(stored({ isHere: true })).toEqual([nameOf(pin)])
    world.status(ben, 'deleted')
    while (!world.run((ctx) => removeSlice(ctx, world.uid(ben))));
    expect(stored({ isHere: true })).toEqual([])
  })

  it('that are no valid articles are not stored, and long ones are', () => {
    world = createWorld({ members: ['ann'] })
    const [ann, ben] = [world.account('ann'), world.account('ben')]
    world.follow(ann, ben)
    const write = (record: object, rkey: string) => {
      const cid = cidOf([ben, rkey, { $type: DOCUMENT, ...record }])
      const uri = `at://${ben}/${DOCUMENT}/${rkey}`
      world.post(ann, { embed: cardEmbed([{ uri, cid }]) })
      world.write({ did: ben, collection: DOCUMENT, rkey, record: { ...record } })
      return nameOf({ uri, cid })
    }
    const { title: _, ...untitled } = documentRecord('https://blog.example.org')
    const bad = write(untitled, '3kaaaaaaaaaaa')
    const long = { textContent: 'long '.repeat(60_000) }
    const good = write(documentRecord('https://blog.example.org', long), '3kaaaaaaaaaab')
    expect(stored({ isHere: true })).toEqual([good])
    expect(stored({ isHere: false })).toEqual([bad])
  })
})
