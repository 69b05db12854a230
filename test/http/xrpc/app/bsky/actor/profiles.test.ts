// Methods that take explicit names: getProfile, getProfiles, getRelationships, our getSocialProof, getPosts,
// and resolveHandle.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../../../support/records.ts'
import {
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]
const nobody = didOf('nobody')

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  for (const did of [alice, bob, carol, dan]) world.profile(did, { displayName: 'somebody' })
  return world
}

describe('getProfile', () => {
  const NSID = 'app.bsky.actor.getProfile'
  type Profile = { did: string; handle: string; viewer?: { knownFollowers?: { count: number } } }

  test('answers by DID and by handle, with the viewer’s relationship', async () => {
    const w = start()
    w.handle(bob, 'bob.test')
    w.follow(alice, carol)
    w.follow(carol, bob)

    const profile = await w.get<Profile>(NSID, { actor: 'bob.test' }, alice)

    expect(profile).toMatchObject({ did: bob, handle: 'bob.test', displayName: 'somebody' })
    expect(profile.viewer?.knownFollowers?.count).toBe(1)
    expect((await w.get<Profile>(NSID, { actor: bob })).viewer).toBeUndefined()
    expect((await w.ask(NSID, { actor: bob }, alice)).headers.get('atproto-repo-rev')).toBeTruthy()
  })

  test('omits a stranger’s unknown counts, and gives those of known accounts', async () => {
    const w = start({ scope: 'community' })
    w.follow(alice, bob)
    w.follow(bob, carol)
    w.post(bob)
    const counts = { followersCount: 1, followsCount: 1, postsCount: 1 }
    expect(await w.get<Profile>(NSID, { actor: bob }, alice)).toMatchObject(counts)
    const stranger = await w.get<Profile>(NSID, { actor: carol }, alice)
    for (const count of Object.keys(counts)) expect(stranger).not.toHaveProperty(count)
    const { profiles } = await w.get<{ profiles: Profile[] }>(
      'app.bsky.actor.getProfiles',
      { actors: [bob, carol] },
      alice,
    )
    expect(profiles.map((profile) => 'postsCount' in profile)).toEqual([true, false])
  })

  test('looks up a handle unknown to the index once', async () => {
    const w = start({ handles: { 'carol.example': carol } })
    expect((await w.get<Profile>(NSID, { actor: 'carol.example' })).did).toBe(carol)
    expect((await w.get<Profile>(NSID, { actor: 'CAROL.example' })).did).toBe(carol)
    expect((await w.ask(NSID, { actor: 'nobody.example' })).status).toBe(400)
    expect((await w.ask(NSID, { actor: 'nobody.example' })).status).toBe(400)
    expect(w.looked).toEqual(['carol.example', 'nobody.example'])
  })

  test.each([
    ['takendown', 'AccountTakedown'],
    ['suspended', 'AccountTakedown'],
    ['deactivated', 'AccountDeactivated'],
    ['deleted', 'InvalidRequest'],
  ] as const)('for a %s account answers %s', async (status, error) => {
    const w = start()
    w.status(bob, status)
    expect(await w.ask(NSID, { actor: bob }, alice)).toMatchObject({ status: 400, body: { error } })
  })

  test('can’t tell of an account that only its directory knows, and requests it', async () => {
    const w = start()
    const { status, body } = await w.ask(NSID, { actor: nobody }, alice)
    expect([status, body['error']]).toEqual([503, 'NotHereYet'])
    expect(w.sent).toContainEqual({ kind: 'fetch-requested', did: alice, uris: [], dids: [nobody] })
  })

  test('echoes the accepted labelers', async () => {
    const w = start()
    const request = new Request(`http://localhost/xrpc/${NSID}?actor=${bob}`, {
      headers: { 'atproto-accept-labelers': `${carol};redact, ${dan}` },
    })
    const { headers } = await w.server.fetch(request)
    expect(headers.get('atproto-content-labelers')).toBe(`${carol};redact,${dan}`)
  })
})

test('getProfiles answers in the order asked and leaves out accounts it cannot show', async () => {
  const w = start()
  w.status(carol, 'deactivated')
  const ask = (actors: string[]) =>
    w.get<{ profiles: { did: string }[] }>('app.bsky.actor.getProfiles', { actors }, alice)

  const { profiles } = await ask([dan, nobody, carol, 'nobody.test', bob])

  expect(profiles.map(({ did }) => did)).toEqual([dan, bob])
  const many = Array.from({ length: 26 }, () => bob)
  expect((await w.ask('app.bsky.actor.getProfiles', { actors: many })).status).toBe(400)
  expect((await w.ask('app.bsky.actor.getProfiles', {})).status).toBe(400)
})

describe('getRelationships', () => {
  const NSID = 'app.bsky.graph.getRelationships'
  type Answer = { actor?: string; relationships: Record<string, unknown>[] }

  test('returns follows and blocks of both sides, and no mutes', async () => {
    const w = start()
    const following = w.follow(alice, bob)
    const followedBy = w.follow(bob, alice)
    const blocking = w.block(alice, carol)
    w.mute(alice, dan)
    const others = [bob, carol, dan, nobody, 'nobody.test']

    const { actor, relationships } = await w.get<Answer>(NSID, { actor: alice, others })

    expect(actor).toBe(alice)
    expect(relationships).toEqual([
      {
        $type: 'app.bsky.graph.defs#relationship',
        did: bob,
        following: following.uri,
        followedBy: followedBy.uri,
      },
      { $type: 'app.bsky.graph.defs#relationship', did: carol, blocking: blocking.uri },
      { $type: 'app.bsky.graph.defs#relationship', did: dan },
      { $type: 'app.bsky.graph.defs#relationship', did: nobody },
      { $type: 'app.bsky.graph.defs#notFoundActor', actor: 'nobody.test', notFound: true },
    ])
  })

  test('returns no actor for a handle that leads nowhere', async () => {
    const answer = await start().get<Answer>(NSID, { actor: 'nobody.test', others: [bob] })
    expect(answer.relationships).toHaveLength(1)
    expect(answer.actor).toBeUndefined()
  })
})

describe('io.slipstream.graph.getSocialProof', () => {
  const NSID = 'io.slipstream.graph.getSocialProof'
  type Proof = { $type: string; did?: string; count?: number; followers?: { did: string }[] }
  type Answer = { proofs: Proof[] }
  const friends = Array.from({ length: 8 }, (_, i) => didOf(`friend${i}`))

  function befriended(options: ServingOptions = {}): ServingWorld {
    const w = start(options)
    for (const did of friends) {
      w.profile(did)
      w.follow(alice, did)
      w.follow(did, bob)
    }
    w.follow(friends[0]!, carol)
    return w
  }

  test('counts and names known followers of several subjects, in the order asked', async () => {
    const w = befriended()
    w.handle(carol, 'carol.test')
    const subjects = [bob, 'carol.test', dan, nobody, 'nobody.test', bob]

    const { proofs } = await w.get<Answer>(NSID, { subjects, followers: 3 }, alice)

    expect(proofs.map(({ did, count, followers }) => [did, count, followers?.length])).toEqual([
      [bob, 8, 3],
      [carol, 1, 1],
      [dan, 0, 0],
      [nobody, 0, 0],
      [undefined, undefined, undefined],
      [bob, 8, 3],
    ])
    expect(proofs[4]!.$type).toBe('app.bsky.graph.defs#notFoundActor')
    expect(proofs[1]!.followers![0]!.did).toBe(friends[0])
  })

  test('agrees with getKnownFollowers, and leaves out blocked and inactive accounts', async () => {
    const w = befriended()
    w.block(friends[0]!, alice)
    w.block(bob, friends[1]!)
    w.status(friends[2]!, 'deactivated')

    const { proofs } = await w.get<Answer>(NSID, { subjects: [bob], followers: 10 }, alice)

    expect(proofs[0]!.count).toBe(8)
    expect(proofs[0]!.followers!.map(({ did }) => did).sort()).toEqual(friends.slice(3).sort())
  })

  test('requires a viewer, and takes 1 to 100 subjects', async () => {
    const w = befriended()
    const many = (length: number) => Array.from({ length }, (_, i) => didOf(`subject${i}`))
    expect((await w.ask(NSID, { subjects: [bob] })).status).toBe(401)
    expect((await w.ask(NSID, { subjects: many(100) }, alice)).status).toBe(200)
    expect((await w.ask(NSID, { subjects: many(101) }, alice)).status).toBe(400)
    expect((await w.ask(NSID, {}, alice)).status).toBe(400)
    expect((await w.ask(NSID, { subjects: [bob], followers: 11 }, alice)).status).toBe(400)
    const counts = await w.get<Answer>(NSID, { subjects: [bob], followers: 0 }, alice)
    expect(counts.proofs[0]).toMatchObject({ count: 8, followers: [] })
    const stranger = await w.get<Answer>(NSID, { subjects: [bob] }, nobody)
    expect(stranger.proofs[0]).toMatchObject({ count: 0, followers: [] })
  })
})

describe('getPosts', () => {
  const NSID = 'app.bsky.feed.getPosts'
  type Answer = { posts: { uri: string }[] }

  test('returns each post once, without missing, deleted and blocked ones', async () => {
    const w = start()
    const [stored, gone, blocked] = [w.post(bob), w.post(bob), w.post(carol)]
    w.delete(gone)
    w.block(carol, alice)
    const missing = `at://${dan}/app.bsky.feed.post/3aaaaaaaaaaaa`
    const other = `at://${dan}/app.bsky.graph.follow/3aaaaaaaaaaaa`
    const uris = [missing, blocked.uri, stored.uri, gone.uri, stored.uri, other]

    const { posts } = await w.get<Answer>(NSID, { uris }, alice)

    expect(posts.map(({ uri }) => uri)).toEqual([stored.uri])
    expect(w.sent.flatMap((item) => (item.kind === 'fetch-requested' ? item.uris : []))).toContain(
      missing,
    )
    expect((await w.get<Answer>(NSID, { uris })).posts).toHaveLength(2)
  })

  test('takes at most 25 URIs, and only at-URIs', async () => {
    const w = start()
    const { uri } = w.post(bob)
    const many = Array.from({ length: 26 }, (_, i) => `${uri}${i}`)
    expect((await w.ask(NSID, { uris: many })).status).toBe(400)
    expect((await w.ask(NSID, { uris: ['https://example.com'] })).status).toBe(400)
  })
})

test('resolveHandle knows verified handles and resolves others', async () => {
  const NSID = 'com.atproto.identity.resolveHandle'
  const w = start({ handles: { 'far.example': dan } })
  w.handle(bob, 'bob.test')
  expect(await w.get(NSID, { handle: 'bob.test' })).toEqual({ did: bob })
  expect(await w.get(NSID, { handle: 'far.example' })).toEqual({ did: dan })
  expect(await w.ask(NSID, { handle: 'nobody.test' })).toMatchObject({
    status: 400,
    body: { error: 'InvalidRequest', message: 'Unable to resolve handle' },
  })
})

test('a starting client gets answers to its first requests', async () => {
  const w = start()
  const feeds = [`at://${dan}/app.bsky.feed.generator/x`]
  expect(await w.get('app.bsky.feed.getFeedGenerators', { feeds }, alice)).toEqual({ feeds: [] })
  const feed = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
  expect(await w.get('app.bsky.feed.getFeed', { feed }, alice)).toEqual({ feed: [] })
  expect(await w.get('app.bsky.labeler.getServices', { dids: [dan] })).toEqual({ views: [] })
  const none = { notifications: [], priority: false }
  expect(await w.get('app.bsky.notification.listNotifications', {}, alice)).toEqual(none)
})
