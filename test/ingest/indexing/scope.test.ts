// Which records the three circles keep: members, authors, neighbourhood.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { ANCHOR } from '../../../src/data/store/posts/post-flags.ts'
import { cidOf, tidAt } from '../../support/records.ts'
import { countRows, jobsOf, postOf } from '../../support/rows.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World
let member: string
let author: string
const stranger = 'stranger'

function open(scope: 'authors' | 'community' | 'network'): void {
  world = createWorld({ scope, members: ['member'] })
  member = world.account('member')
  author = world.account('author')
  world.follow(member, author)
}

afterEach(() => world.dispose())

describe('community scope', () => {
  beforeEach(() => open('community'))

  it('drops conversations among strangers, and writes nothing for them', () => {
    const [first, two] = [world.account(stranger), world.account('other')]
    const changes = () => world.db.prepare('SELECT total_changes()').pluck().get()
    const before = changes()
    const post = world.post(first, 'hello')
    world.post(two, { reply: { parent: post } })
    world.like(two, post)
    world.repost(two, post)
    world.follow(two, first)
    world.block(first, two)
    world.profile(first)
    world.identity(first)
    world.status(first, 'deactivated')
    world.delete(post)
    expect(changes()).toBe(before)
    expect(world.uid(first)).toBe(0)
  })

  it('keeps replies to an author, and likes and reposts of them, but not whole strangers', () => {
    const post = world.post(author, 'hello')
    const reply = world.post(world.account(stranger), { reply: { parent: post } })
    const nested = world.post(world.account('other'), { reply: { parent: reply, root: post } })
    world.like(world.account('fan'), reply)
    world.repost(world.account('fan'), reply)
    const own = world.post(world.account(stranger), 'about something else')
    expect(postOf(world, post)).toMatchObject({ replies: 1, state: 1 })
    expect(postOf(world, reply)).toMatchObject({ likes: 1, reposts: 1, replies: 1, state: 1 })
    expect(postOf(world, nested)).toMatchObject({ state: 1 })
    expect(postOf(world, own)).toBeUndefined()
  })

  it('excludes the neighbourhood of the neighbourhood', () => {
    const post = world.post(author, 'hello')
    const elsewhere = world.post(world.account('far'), 'far away')
    const quoting = world.post(world.account(stranger), {
      reply: { parent: post },
      quote: elsewhere,
    })
    // The quoted post is now a stub, for its count; that does not put posts about it in scope.
    expect(postOf(world, elsewhere)).toMatchObject({ state: 0, quotes: 1 })
    world.like(world.account('fan'), elsewhere)
    const about = world.post(world.account('other'), { reply: { parent: elsewhere } })
    const quoteOfQuote = world.post(world.account('other'), { quote: quoting })
    expect(postOf(world, elsewhere)).toMatchObject({ likes: 0, replies: 0 })
    expect(postOf(world, about)).toBeUndefined()
    expect(postOf(world, quoteOfQuote)).toBeUndefined()
  })

  it('keeps quotes of an author and mentions of a member', () => {
    const post = world.post(author, 'hello')
    const quote = world.post(world.account(stranger), { quote: post })
    const mention = (did: string) => [
      {
        index: { byteStart: 0, byteEnd: 2 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
      },
    ]
    const naming = world.post(world.account('third'), { facets: mention(member) })
    const namingAuthor = world.post(world.account('fourth'), { facets: mention(author) })
    expect(postOf(world, quote)?.state).toBe(1)
    expect(postOf(world, naming)?.state).toBe(1)
    expect(postOf(world, namingAuthor)).toBeUndefined()
  })

  it('keeps replies to and likes of an author’s young post that arrives later', () => {
    const fan = world.account('fan')
    let coming = { uri: '', cid: '' }
    const events = world.hold(() => {
      coming = world.post(author, 'hello')
    })
    world.like(fan, coming)
    world.repost(fan, coming)
    const reply = world.post(world.account(stranger), { reply: { parent: coming } })
    const quote = world.post(world.account('other'), { quote: coming })
    world.apply(events)
    expect(postOf(world, coming)).toMatchObject({
      state: 1,
      likes: 1,
      reposts: 1,
      replies: 1,
      quotes: 1,
    })
    expect([postOf(world, reply)?.state, postOf(world, quote)?.state]).toEqual([1, 1])
  })

  it('keeps no likes of author posts with a key too old or invalid', () => {
    const fan = world.account('fan')
    const postOfAge = (did: string, ms: number) => {
      const rkey = tidAt((world.now() - ms) * 1000)
      return { uri: `at://${did}/app.bsky.feed.post/${rkey}`, cid: cidOf(rkey) }
    }
    world.like(fan, postOfAge(author, 37 * HOUR_MS))
    world.like(fan, postOfAge(author, -HOUR_MS))
    world.like(fan, { ...postOfAge(author, 0), uri: `at://${author}/app.bsky.feed.post/self` })
    world.like(fan, postOfAge(world.account(stranger), 0))
    expect(countRows(world, 'posts')).toBe(0)
  })

  it('keeps follows and blocks of authors, and every act by authors', () => {
    world.follow(world.account(stranger), author)
    world.block(world.account('foe'), member)
    world.follow(author, world.account('friend'))
    world.follow(world.account(stranger), world.account('friend'))
    expect(countRows(world, 'follows')).toBe(3)
    expect(countRows(world, 'blocks')).toBe(1)
    const sql = 'SELECT followers_count FROM actors WHERE uid = ?'
    expect(world.db.prepare(sql).pluck().get(world.uid(author))).toBe(2)
  })

  it('keeps gates of kept posts only', () => {
    const post = world.post(author, 'hello')
    const reply = world.post(world.account(stranger), { reply: { parent: post } })
    world.postgate(reply)
    const own = world.post(world.account(stranger), 'about something else')
    world.threadgate(own, [])
    expect(countRows(world, 'postgates')).toBe(1)
    expect(countRows(world, 'threadgates')).toBe(0)
  })

  it('keeps a list with a member on it, or one that an author blocks by, and its later items', () => {
    const [saver, other] = [world.account('list-keeper'), world.account('other-keeper')]
    const list = world.list(saver, 'mod list')
    const unrelated = world.list(other, 'another')
    world.listItem(other, unrelated, world.account(stranger))
    expect(countRows(world, 'lists')).toBe(0)
    world.listItem(saver, list, member)
    world.listBlock(author, unrelated)
    world.listItem(other, unrelated, world.account(stranger))
    world.listBlock(world.account(stranger), list)
    expect(countRows(world, 'lists')).toBe(2)
    expect(countRows(world, 'list_items')).toBe(2)
    expect(countRows(world, 'list_blocks')).toBe(2)
  })

  it('stops keeping the acts of an account that no member follows any more', () => {
    const follow = world.follow(member, world.account('acquaintance'))
    const during = world.post(world.account('acquaintance'), 'hello')
    world.delete(follow)
    const after = world.post(world.account('acquaintance'), 'goodbye')
    expect(postOf(world, during)?.state).toBe(1)
    expect(postOf(world, after)).toBeUndefined()
  })

  it('recognizes a follow and the post after it in one batch', () => {
    const late = world.account('latecomer')
    const posts: { uri: string; cid: string }[] = []
    const events = world.hold(() => {
      world.follow(member, late)
      posts.push(world.post(late, 'hello'))
    })
    world.apply(events)
    expect(postOf(world, posts[0]!)?.state).toBe(1)
    expect(world.timelineItems(member)).toEqual([postOf(world, posts[0]!)!.id * 2])
  })
})

describe('records that kept posts need', () => {
  beforeEach(() => open('community'))

  it('are requested: parent, root and quote of an author’s post, then their parent and quote, no further', () => {
    const far = world.account('far')
    const ref = (name: string) => world.hold(() => void world.post(far, name))[0]!
    const uriOf = (event: ReturnType<typeof ref>) =>
      event.kind === 'commit' ? `at://${far}/${event.collection}/${event.rkey}` : ''
    const [root, grandparent, parent, quoted] = ['root', 'grandparent', 'parent', 'quoted'].map(
      (name) => ({ uri: uriOf(ref(name)), cid: world.post(far, 'x').cid }),
    ) as [Id, Id, Id, Id]
    world.post(author, { reply: { parent, root }, quote: quoted })
    const jobOf = (id: Id) => `post ${postOf(world, id)?.id}`
    expect(jobsOf(world)).toEqual(
      expect.arrayContaining([
        jobOf(parent),
        jobOf(root),
        jobOf(quoted),
        `profile ${world.uid(far)}`,
      ]),
    )
    expect(postOf(world, parent)!.flags & ANCHOR).toBe(ANCHOR)
    const fetched = (id: Id, record: object) =>
      world.fetched({
        uri: id.uri,
        record: { $type: 'app.bsky.feed.post', text: '', createdAt: world.isoNow(), ...record },
      })
    fetched(parent, { reply: { parent: grandparent, root } })
    expect(jobsOf(world)).toContain(jobOf(grandparent))
    const unasked = { uri: quoted.uri.replace(/.{4}$/, '2222'), cid: quoted.cid }
    fetched(grandparent, { reply: { parent: unasked, root } })
    expect(postOf(world, unasked)?.state).toBe(0)
    expect(jobsOf(world)).not.toContain(jobOf(unasked))
  })

  it('are not requested for strangers’ posts', () => {
    const post = world.post(author, 'hello')
    const far = world.post(world.account('far'), 'unseen')
    world.post(world.account(stranger), { reply: { parent: post }, quote: far })
    expect(jobsOf(world)).not.toContain(`post ${postOf(world, far)?.id}`)
  })

  it('include a new author’s feed, follows and profile, requested once', () => {
    const uid = world.uid(author)
    const wanted = ['blocks', 'feed', 'follows', 'identity', 'profile'].map(
      (kind) => `${kind} ${uid}`,
    )
    expect(jobsOf(world)).toEqual(expect.arrayContaining(wanted))
    world.db.exec('DELETE FROM jobs')
    world.follow(member, author)
    expect(jobsOf(world)).toEqual([])
  })
})

type Id = { uri: string; cid: string }

describe('other scopes', () => {
  it('authors: leaves out strangers’ acts', () => {
    open('authors')
    const post = world.post(author, 'hello')
    const reply = world.post(world.account(stranger), { reply: { parent: post } })
    world.like(world.account(stranger), post)
    world.follow(world.account(stranger), author)
    expect(postOf(world, reply)).toBeUndefined()
    expect(postOf(world, post)).toMatchObject({ likes: 0, replies: 0 })
    expect(countRows(world, 'follows')).toBe(1)
  })

  it('network: keeps everything, and puts only authors into timelines', () => {
    open('network')
    const post = world.post(world.account(stranger), 'hello')
    world.like(world.account('fan'), post)
    world.repost(world.account('fan'), post)
    expect(postOf(world, post)).toMatchObject({ state: 1, likes: 1, reposts: 1 })
    expect(world.timelineItems(member)).toEqual([])
    const repost = world.repost(author, post)
    expect(world.timelineItems(member)).toHaveLength(1)
    world.delete(repost)
    expect(world.timelineItems(member)).toEqual([])
    expect(postOf(world, post)?.reposts).toBe(1)
  })

  it('network: a new account is known, and looked up, before its first record', () => {
    open('network')
    const newcomer = world.account('newcomer')
    world.identity(newcomer)
    expect(world.uid(newcomer)).not.toBe(0)
    expect(jobsOf(world)).toContain(`identity ${world.uid(newcomer)}`)
  })
})
