// Information about strangers comes from a public AppView, here a complete Slipstream with all records. Its
// answers are shown with Alice's own relation added, and without anything she must not see.

import { describe, expect, test } from 'vitest'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { blobOf, didOf } from '../../support/records.ts'
import { allPages, type Query } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'
import { OWN_URLS } from './asking.ts'
import {
  alice,
  bob,
  createTwoWorlds,
  eve,
  fans,
  handleOf,
  mallory,
  moe,
  type TwoWorlds,
  withoutViewer,
} from './two-worlds.ts'

type View = { did: string; handle: string; viewer?: Record<string, unknown> }
type Post = { uri: string; author: View; viewer?: Record<string, unknown> }
type Item = { post: Post; reason?: { by: View } }

describe('a stranger’s profile', () => {
  test('shows the counts of a server that sees all, and the relation to the viewer', async () => {
    const { here, double } = await createTwoWorlds((w) => {
      for (let i = 0; i < 3; i++) w.post(eve, `post ${i}`)
      w.follow(eve, fans[0]!)
      w.follow(alice, mallory)
    })
    const profile = await here.get<View & Record<string, unknown>>(
      'app.bsky.actor.getProfile',
      { actor: eve },
      alice,
    )
    expect(profile).toMatchObject({ did: eve, followersCount: 9, followsCount: 1, postsCount: 3 })
    expect(profile.viewer).toMatchObject({ muted: false, blockedBy: false })
    expect(profile.viewer?.['knownFollowers']).toMatchObject({ count: 1 })
    const many = await here.get<{ profiles: (View & { followersCount: number })[] }>(
      'app.bsky.actor.getProfiles',
      { actors: [bob, eve, mallory] },
      alice,
    )
    expect(many.profiles.map(({ did }) => did)).toEqual([bob, eve, mallory])
    expect(many.profiles[1]?.followersCount).toBe(9)
    expect(many.profiles[2]?.viewer?.['blocking']).toMatch(/^at:/)
    const names = double.asked.flatMap(({ query }) => [query['actor'], query['actors']].flat())
    expect(names).not.toContain(bob)
  })

  test('says who may write to them, even if their declaration never reached us', async () => {
    const chat = (allowIncoming: string) => ({ associated: { chat: { allowIncoming } } })
    const { here } = await createTwoWorlds(
      (w) => {
        w.create(eve, 'chat.bsky.actor.declaration', { allowIncoming: 'all' }, 'self')
        w.create(moe, 'chat.bsky.actor.declaration', { allowIncoming: 'none' }, 'self')
      },
      {
        isEarlier: ({ did, ...event }) =>
          did === eve && JSON.stringify(event).includes('chat.bsky'),
      },
    )
    const profile = (actor: string) => here.get('app.bsky.actor.getProfile', { actor }, alice)
    expect(await profile(eve)).toMatchObject(chat('all'))
    here.handle(eve, handleOf(eve))
    expect(await profile(eve)).toMatchObject(chat('all'))
    here.create(eve, 'chat.bsky.actor.declaration', { allowIncoming: 'following' }, 'self')
    expect(await profile(eve)).toMatchObject(chat('following'))
    expect(await profile(moe)).toMatchObject(chat('none'))
  })

  test('of an account only referenced here is shown as it is known elsewhere', async () => {
    const { here } = await createTwoWorlds(
      (w) => {
        w.profile(eve, { displayName: 'Eve', description: 'somebody else' })
        w.post(fans[0]!, 'hello')
      },
      { isEarlier: ({ did }) => did === eve },
    )
    here.follow(bob, eve)
    here.handle(eve, 'eve.ours.test')
    const visible = { did: eve, handle: 'eve.ours.test', displayName: 'Eve' }
    const query = { actor: eve }
    expect(await here.get('app.bsky.actor.getProfile', query, alice)).toMatchObject(visible)
    type Profiles = { profiles: View[] }
    const many = { actors: [eve] }
    const { profiles } = await here.get<Profiles>('app.bsky.actor.getProfiles', many, alice)
    expect(profiles).toMatchObject([visible])
  })

  test('of a nonexistent account is not found, whatever the outcome elsewhere', async () => {
    const absent = [didOf('nobody'), didOf('no one')]
    const { here, double } = await createTwoWorlds(() => {}, {
      absent,
      asks: { maxWaitMs: 600_000 },
    })
    double.misbehave('hang')
    for (const viewer of [alice, undefined]) {
      const response = await here.ask('app.bsky.actor.getProfile', { actor: absent[0]! }, viewer)
      expect(response).toMatchObject({ status: 400, body: { message: 'Profile not found' } })
      const many = { actors: [bob, ...absent] }
      const { profiles } = await here.get<{ profiles: View[] }>(
        'app.bsky.actor.getProfiles',
        many,
        viewer,
      )
      expect(profiles.map(({ did }) => did)).toEqual([bob])
    }
  })

  test('of a never-seen account is shown, and invented names are not accepted', async () => {
    const { here, double } = await createTwoWorlds((w) => w.post(fans[7]!, 'hello'))
    const profile = await here.get<View>('app.bsky.actor.getProfile', { actor: fans[7]! }, alice)
    expect(profile.viewer).toEqual({
      muted: false,
      mutedOnlyReposts: false,
      mutedOnlyQuoteposts: false,
      blockedBy: false,
    })
    double.answer('app.bsky.actor.getProfile', { did: bob, handle: 'liar.test' })
    const requested = await here.ask('app.bsky.actor.getProfile', {
      actor: 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
    })
    // Its directory knows it, but nobody its profile.
    expect(requested).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
  })
})

describe('lists of strangers', () => {
  const methods: [string, (query: { post: RecordId }) => Query, string][] = [
    ['app.bsky.feed.getAuthorFeed', () => ({ actor: eve }), 'feed'],
    ['app.bsky.graph.getFollowers', () => ({ actor: eve }), 'followers'],
    ['app.bsky.graph.getFollows', () => ({ actor: eve }), 'follows'],
    ['app.bsky.feed.getLikes', ({ post }) => ({ uri: post.uri }), 'likes'],
    ['app.bsky.feed.getRepostedBy', ({ post }) => ({ uri: post.uri }), 'repostedBy'],
    ['app.bsky.feed.getQuotes', ({ post }) => ({ uri: post.uri }), 'posts'],
    ['app.bsky.graph.getLists', () => ({ actor: eve }), 'lists'],
  ]

  const happen = (w: TwoWorlds['there']) => {
    const posts = Array.from({ length: 7 }, (_, i) => w.post(eve, `post ${i}`))
    for (const fan of fans) {
      w.follow(fan, eve)
      w.follow(eve, fan)
      w.like(fan, posts[0]!)
      w.repost(fan, posts[0]!)
      w.post(fan, { text: 'look', quote: posts[0]! })
      w.list(eve, `list of ${fan}`, 'app.bsky.graph.defs#curatelist')
    }
    return posts[0]!
  }

  test.each(methods)(
    '%s continues from page to page to the end, as it does there',
    async (nsid, query, field) => {
      let post: RecordId | undefined
      const { here, public: there } = await createTwoWorlds((w) => {
        post = happen(w)
      })
      const requested = query({ post: post! })
      type Page = { cursor?: string } & Record<string, unknown>
      const pages = (viewer?: string) =>
        allPages(
          (cursor) => here.get<Page>(nsid, { ...requested, limit: 3, cursor }, viewer),
          (page) => page[field] as object[],
        )
      const all = await there<Page>(nsid, { ...requested, limit: 100 })
      expect((all[field] as object[]).length).toBeGreaterThan(5)
      expect(withoutViewer(await pages(alice))).toEqual(withoutViewer(all[field]))
      expect(await pages()).toEqual(all[field])
    },
  )

  test.each(methods)(
    '%s shows our own records if the AppView does not answer, and claims nothing without any',
    async (nsid, query) => {
      let post: RecordId | undefined
      const happened = (w: TwoWorlds['there']) => {
        post = happen(w)
      }
      const { here, double } = await createTwoWorlds(happened, { queuesFetchRequests: true })
      double.misbehave({ status: 500 })
      const { status, body } = await here.ask(nsid, query({ post: post! }), alice)
      const isUnknown = /get(AuthorFeed|Follows|Likes|Lists|Quotes|RepostedBy)$/.test(nsid)
      const isLater = expect.stringMatching(/^Not(KnownHere|HereYet)$/)
      expect([status, body['error']]).toEqual(isUnknown ? [503, isLater] : [200, undefined])
    },
  )

  test('leave out accounts with a block to or from the viewer, and show her acts', async () => {
    let post: RecordId | undefined
    const { here } = await createTwoWorlds((w) => {
      post = w.post(eve, 'liked by all')
      w.like(mallory, post)
      w.like(moe, post)
      w.like(fans[0]!, post)
      w.repost(eve, w.post(mallory, 'reposted'))
      w.repost(eve, w.post(moe, 'reposted, too'))
      w.like(alice, post)
    })
    const { likes } = await here.get<{ likes: { actor: View }[] }>(
      'app.bsky.feed.getLikes',
      { uri: post!.uri },
      alice,
    )
    expect(new Set(likes.map(({ actor }) => actor.did))).toEqual(new Set([moe, fans[0], alice]))
    const { feed } = await here.get<{ feed: Item[] }>(
      'app.bsky.feed.getAuthorFeed',
      { actor: eve },
      alice,
    )
    expect(feed.map(({ post: { author } }) => author.did)).toEqual([eve])
    expect(feed[0]?.post.viewer?.['like']).toMatch(/^at:.*app.bsky.feed.like/)
    const visitors = await here.get<{ feed: Item[] }>('app.bsky.feed.getAuthorFeed', { actor: eve })
    expect(visitors.feed.map(({ post: { author } }) => author.did)).toEqual([moe, mallory, eve])
  })

  test('of accounts that the viewer blocks, or that are hidden here, are not requested', async () => {
    const { here, double } = await createTwoWorlds((w) => w.post(mallory, 'hello'))
    expect(await here.ask('app.bsky.feed.getAuthorFeed', { actor: mallory }, alice)).toMatchObject({
      status: 400,
      body: { error: 'BlockedActor' },
    })
    here.status(eve, 'takendown')
    const before = double.asked.length
    for (const nsid of [
      'app.bsky.feed.getAuthorFeed',
      'app.bsky.graph.getFollowers',
      'app.bsky.actor.getProfile',
    ]) {
      expect((await here.ask(nsid, { actor: eve }, alice)).status).toBe(400)
    }
    expect(double.asked.length).toBe(before)
  })

  test('end, however long the AppView claims they continue', async () => {
    const { here, double } = await createTwoWorlds((w) => w.post(eve, 'hello'))
    const NSID = 'app.bsky.feed.getAuthorFeed'
    const real = await here.get<{ feed: object[] }>(NSID, { actor: eve })
    // Each request is sent once, because answers are cached.
    let calls = 0
    const pagesOf = async (says: (cursor: number) => object) => {
      double.answer(NSID, ({ cursor }: Record<string, unknown>) => says(Number(cursor ?? 0)))
      calls += 10
      let pages = 0
      let cursor: string | undefined
      do {
        const page: { cursor?: string } = await here.get(
          NSID,
          { actor: eve, limit: calls + pages, cursor },
          alice,
        )
        cursor = page.cursor
      } while (cursor !== undefined && ++pages < 5)
      return pages
    }
    expect(await pagesOf((cursor) => ({ feed: [], cursor: `${cursor + 1}` }))).toBe(0)
    expect(await pagesOf(() => ({ feed: real.feed, cursor: '7' }))).toBe(1)
    // The feed drops the other account's posts, so these pages are empty, too.
    const strange = await here.get<{ feed: object[] }>(NSID, { actor: bob })
    expect(await pagesOf((cursor) => ({ feed: strange.feed, cursor: `${cursor + 1}` }))).toBe(0)
  })

  test('are ours if theirs arrive too late, as far as any are here', async () => {
    const liked: { uri?: string } = {}
    const happened = (w: TwoWorlds['there']) => {
      Object.assign(liked, w.post(eve, 'hello'))
      w.like(bob, liked as RecordId)
      w.post(bob, { text: 'mine', reply: { parent: liked as RecordId } })
    }
    const { here, double } = await createTwoWorlds(happened, {
      asks: { maxWaitMs: 30 },
    })
    double.misbehave('hang')
    const requested = await here.ask('app.bsky.feed.getAuthorFeed', { actor: eve }, alice)
    expect(requested).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
    const likes = await here.get('app.bsky.feed.getLikes', { uri: liked.uri }, alice)
    expect(likes).toMatchObject({ likes: [{ actor: { did: bob } }] })
  })

  test('mark blocked accounts in an embed, and show nothing deleted', async () => {
    let gone: RecordId | undefined
    const { here, there } = await createTwoWorlds((w) => {
      gone = w.post(bob, 'quoted and gone')
      w.post(eve, { text: 'a', quote: w.post(mallory, 'quoted') })
      w.post(eve, { text: 'b', quote: gone })
    })
    here.apply(there.hold(() => there.delete(gone!)))
    type Quote = { post: { embed: { record: { $type: string; author?: View } } } }
    const { feed } = await here.get<{ feed: Quote[] }>(
      'app.bsky.feed.getAuthorFeed',
      { actor: eve },
      alice,
    )
    const kinds = feed.map(({ post }) => post.embed.record.$type.split('#')[1])
    expect(kinds).toEqual(['viewNotFound', 'viewBlocked'])
    expect(feed[1]?.post.embed.record.author?.viewer?.['blocking']).toMatch(/^at:/)
  })

  test('through which a member reads strangers include their posts', async () => {
    let list: RecordId | undefined
    const { here } = await createTwoWorlds((w) => {
      list = w.list(bob, 'cats', 'app.bsky.graph.defs#curatelist')
      for (const did of [eve, mallory, bob]) {
        w.listItem(bob, list, did)
        w.post(did, `by ${did}`)
      }
    })
    const query = { list: list!.uri }
    const { feed } = await here.get<{ feed: Item[] }>('app.bsky.feed.getListFeed', query, alice)
    expect(feed.map(({ post }) => post.author.did)).toEqual([bob, eve])
  })

  test('show a stranger who was listed before a hundred held accounts', async () => {
    let list: RecordId | undefined
    const { here } = await createTwoWorlds((w) => {
      list = w.list(bob, 'cats', 'app.bsky.graph.defs#curatelist')
      w.listItem(bob, list, eve)
      for (let i = 0; i < 120; i++) {
        w.follow(alice, didOf(`friend-${i}`))
        w.listItem(bob, list, didOf(`friend-${i}`))
      }
      w.post(eve, 'by eve')
    })
    const query = { list: list!.uri }
    const { feed } = await here.get<{ feed: Item[] }>('app.bsky.feed.getListFeed', query, alice)
    expect(feed.map(({ post }) => post.author.did)).toEqual([eve])
  })

  test('of held accounts are ours alone, and so are all if the whole network is held', async () => {
    let post: RecordId | undefined
    const happened = (w: TwoWorlds['there']) => {
      post = w.post(bob, 'by bob')
      w.post(eve, 'by eve')
    }
    const held = await createTwoWorlds(happened)
    for (const [nsid, query] of [
      ['app.bsky.feed.getAuthorFeed', { actor: bob }],
      ['app.bsky.feed.getLikes', { uri: post!.uri }],
      ['app.bsky.unspecced.getPostThreadV2', { anchor: post!.uri }],
      ['app.bsky.actor.getProfile', { actor: bob }],
    ] as const) {
      await held.here.get(nsid, query, alice)
    }
    expect(held.double.asked).toEqual([])
    const complete = await createTwoWorlds(happened, { scope: 'network' })
    await complete.here.get('app.bsky.feed.getAuthorFeed', { actor: eve }, alice)
    expect(complete.double.asked).toEqual([])
  })
})

describe('threads of strangers', () => {
  const V2 = 'app.bsky.unspecced.getPostThreadV2'
  type Thread = {
    thread: { uri: string; depth: number; value: { $type: string; post?: Post } }[]
    hasOtherReplies: boolean
  }

  const happen = (w: TwoWorlds['there']) => {
    const root = w.post(eve, 'root')
    const replies = [mallory, moe, fans[0]!].map((did) =>
      w.post(did, { text: `by ${did}`, reply: { parent: root } }),
    )
    const deeper = w.post(fans[1]!, { text: 'deeper', reply: { root, parent: replies[0]! } })
    return { root, replies, deeper }
  }

  test('are theirs, without replies of accounts the viewer blocks and what is below them', async () => {
    let made: ReturnType<typeof happen> | undefined
    const { here, public: there } = await createTwoWorlds((w) => {
      made = happen(w)
    })
    const { root, replies, deeper } = made!
    const visitors = await here.get<Thread>(V2, { anchor: root.uri })
    expect(visitors).toEqual(await there<Thread>(V2, { anchor: root.uri }))
    expect(visitors.thread.map(({ uri }) => uri)).toContain(deeper.uri)
    const { thread, hasOtherReplies } = await here.get<Thread>(V2, { anchor: root.uri }, alice)
    expect(thread.map(({ uri }) => uri)).toEqual([root.uri, replies[2]!.uri])
    expect(hasOtherReplies).toBe(true)
    const below = await here.get<Thread>(V2, { anchor: deeper.uri }, alice)
    expect(below.thread.map(({ value }) => value.$type.split('#')[1])).toEqual([
      'threadItemPost',
      'threadItemBlocked',
      'threadItemPost',
    ])
  })

  test('as trees likewise', async () => {
    let made: ReturnType<typeof happen> | undefined
    const { here, public: there } = await createTwoWorlds((w) => {
      made = happen(w)
    })
    const { root, replies, deeper } = made!
    const NSID = 'app.bsky.feed.getPostThread'
    type Node = { $type: string; post: Post; replies?: Node[]; parent?: Node }
    expect(await here.get(NSID, { uri: root.uri })).toEqual(await there(NSID, { uri: root.uri }))
    const { thread } = await here.get<{ thread: Node }>(NSID, { uri: root.uri }, alice)
    expect(thread.replies?.map(({ post }) => post.uri).sort()).toEqual(
      [replies[1]!.uri, replies[2]!.uri].sort(),
    )
    const below = await here.get<{ thread: Node }>(NSID, { uri: deeper.uri }, alice)
    expect(below.thread.parent?.$type).toBe('app.bsky.feed.defs#blockedPost')
  })

  test('include the reply that the viewer has just made', async () => {
    let root: RecordId | undefined
    let reply: RecordId | undefined
    const { here, there } = await createTwoWorlds(
      (w) => {
        root = w.post(eve, 'root')
        reply = w.post(fans[0]!, { text: 'a reply', reply: { parent: root } })
      },
      { startAt: Date.now() - 60_000 },
    )
    const reply1 = { root: root!, parent: reply! }
    const own = here.post(alice, { text: 'mine', reply: reply1 })
    const { thread } = await here.get<Thread>(V2, { anchor: root!.uri }, alice)
    expect(thread.map(({ uri, depth }) => [uri, depth])).toEqual([
      [root!.uri, 0],
      [reply!.uri, 1],
      [own.uri, 2],
    ])
    const visitors = await here.get<Thread>(V2, { anchor: root!.uri })
    expect(visitors).toEqual(await there.get<Thread>(V2, { anchor: root!.uri }))
  })

  test('that are withheld from unauthenticated clients, such as us, are ours for a member', async () => {
    let reply: RecordId | undefined
    const { here, double } = await createTwoWorlds((w) => {
      reply = w.post(fans[0]!, { text: 'to bob', reply: { parent: w.post(bob, 'root') } })
    })
    const withheld = { $type: 'app.bsky.unspecced.defs#threadItemNoUnauthenticated' }
    double.answer(V2, {
      hasOtherReplies: false,
      thread: [{ uri: reply!.uri, depth: 0, value: withheld }],
    })
    const { thread } = await here.get<Thread>(V2, { anchor: reply!.uri }, alice)
    expect(thread.map(({ value }) => value.post?.author.did)).toEqual([bob, fans[0]])
    expect(double.asked).toHaveLength(1)
  })

  test('show a post as we have it, and none that we know to be deleted', async () => {
    let root: RecordId | undefined
    let gone: RecordId | undefined
    const { here, there } = await createTwoWorlds((w) => {
      root = w.post(eve, 'root')
      w.post(bob, { text: 'by bob', reply: { parent: root } })
      gone = w.post(bob, { text: 'soon gone', reply: { parent: root } })
    })
    here.apply(there.hold(() => there.delete(gone!)))
    const { thread } = await here.get<Thread>(V2, { anchor: root!.uri }, alice)
    expect(thread.map(({ value }) => value.post?.author.did)).toEqual([eve, bob])
  })
})

describe('pictures and labels', () => {
  test('follow our labelers: posts they took down are hidden, and their labels are shown', async () => {
    const labeler = didOf('labeler')
    const posts: RecordId[] = []
    const { here } = await createTwoWorlds(
      (w) => {
        w.profile(labeler)
        w.follow(alice, labeler)
        for (let i = 0; i < 3; i++) posts.push(w.post(fans[0]!, `post ${i}`))
        w.like(bob, posts[0]!)
      },
      { labelers: [labeler] },
    )
    const say = (uri: string, val: string) => {
      const label = { uri, val, cts: '2026-11-01T00:00:00.000Z', neg: false }
      here.run((ctx) => applyLabels(ctx, labeler, [{ ...label, cid: undefined, exp: undefined }]))
    }
    say(posts[0]!.uri, '!takedown')
    say(posts[1]!.uri, 'spam')
    say(fans[0]!, 'bot')
    type Labelled = { post: { uri: string; labels: object[]; author: { labels: object[] } } }
    const { feed } = await here.get<{ feed: Labelled[] }>(
      'app.bsky.feed.getAuthorFeed',
      { actor: fans[0]! },
      alice,
    )
    expect(feed.map(({ post }) => post.uri)).toEqual([posts[2]!.uri, posts[1]!.uri])
    expect(feed[1]?.post.labels).toMatchObject([{ src: labeler, val: 'spam' }])
    expect(feed[1]?.post.author.labels).toMatchObject([{ src: labeler, val: 'bot' }])
    say(fans[0]!, '!takedown')
    const { status } = await here.ask('app.bsky.actor.getProfile', { actor: fans[0]! }, alice)
    expect(status).toBe(400)
  })

  test('of accounts that request it, show nothing to unauthenticated visitors', async () => {
    const { here, double } = await createTwoWorlds((w) => w.post(eve, 'hello'))
    const { feed } = await here.get<{ feed: Item[] }>('app.bsky.feed.getAuthorFeed', {
      actor: eve,
    })
    const label = { src: eve, uri: eve, val: '!no-unauthenticated', cts: '2026-01-01T00:00:00Z' }
    const [item] = feed as [Item]
    const author = { ...item.post.author, labels: [label] }
    double.answer('app.bsky.feed.getAuthorFeed', { feed: [{ post: { ...item.post, author } }] })
    const read = (viewer?: string) =>
      here
        .get<{ feed: Item[] }>('app.bsky.feed.getAuthorFeed', { actor: eve, limit: 7 }, viewer)
        .then((page) => page.feed.length)
    expect(await read(alice)).toBe(1)
    expect(await read()).toBe(0)
  })

  test('have addresses by our pattern, and labels only of labelers that count here', async () => {
    const { here, double } = await createTwoWorlds((w) =>
      w.profile(eve, { avatar: blobOf('face') }),
    )
    const cid = blobOf('face').ref.$link
    double.answer('app.bsky.actor.getProfile', {
      did: eve,
      handle: 'eve.test',
      avatar: `https://cdn.bsky.app/img/avatar/plain/${eve}/${cid}@jpeg`,
      banner: 'https://elsewhere.test/some/banner.png',
      viewer: { muted: true, following: `at://${alice}/app.bsky.graph.follow/3kkkkkkkkkkkk` },
      labels: [
        { src: eve, uri: eve, val: 'bot', cts: '2026-01-01T00:00:00.000Z' },
        { src: mallory, uri: eve, val: 'spam', cts: '2026-01-01T00:00:00.000Z' },
      ],
    })
    const profile = await here
      .get<View & Record<string, unknown>>('app.bsky.actor.getProfile', {
        actor: fans[0]!,
      })
      .catch(() => undefined)
    expect(profile).toBeUndefined()
    const visible = await here.get<View & Record<string, unknown>>('app.bsky.actor.getProfile', {
      actor: eve,
    })
    expect(visible['avatar']).toBe(OWN_URLS.image('avatar', eve, cid))
    expect(visible['banner']).toBe('https://elsewhere.test/some/banner.png')
    expect((visible['labels'] as { val: string }[]).map(({ val }) => val)).toEqual(['bot'])
    expect(visible.viewer).toBeUndefined()
  })
})
