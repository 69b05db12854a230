// The official AppView, unchanged from the registry, on our dataplane. The conformance requests go to it, to
// Slipstream's own XRPC and, if Postgres is installed, to a second official AppView on its own dataplane and
// indexer, which follows the same PDS. Over one seeded network all answers are equal, except for listed
// differences.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Asker, createAsker, type Params } from './conformance/ask.ts'
import { queries } from './conformance/cases.ts'
import {
  furtherQuestions,
  peopleOf,
  type Question,
  storedPrivately,
  walks,
} from './conformance/further-questions.ts'
import {
  type Answer,
  differences,
  differencesOnPostgres,
  unlike,
  unlikeForVisitors,
  unlikeOnPostgres,
  unlikeOnPostgresForMembers,
} from './conformance/official-differences.ts'
import { type Seed, sow } from './conformance/seed.ts'
import { follow, like, post, reply, repost } from './support/account.ts'
import { freePort } from './support/free-port.ts'
import {
  OFFICIAL_ADMIN_PASSWORD,
  type OfficialAppView,
  startOfficialAppView,
} from './support/official-appview.ts'
import { findPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { people, startWorld, type World } from './support/world.ts'

/** By then all requested records have arrived; remaining differences will not change. */
const WITHIN_MS = 60_000
const PAGE = 3
const MAX_PAGES = 20

const postgresHome = findPostgres()
if (!postgresHome) {
  console.warn('No Postgres is installed: the official AppView is not asked on its own dataplane.')
}

type Who = 'vera' | 'ann' | 'visitor'
type Stack = 'official' | 'ours' | 'own'

describe('the official AppView on our dataplane', () => {
  let world: World
  let official: OfficialAppView
  let postgres: Postgres | undefined
  let own: OfficialAppView | undefined
  let seed: Seed
  let ask: Record<Stack, Record<Who, Asker>>

  beforeAll(async () => {
    const port = await freePort()
    const settings = {
      SLIPSTREAM_DATAPLANE_PORT: String(port),
      SLIPSTREAM_INDEX_SCOPE: 'network',
      SLIPSTREAM_DATAPLANE_NOTIFICATION_DAYS: '30',
      // Offered by this server alone.
      SLIPSTREAM_FOR_YOU_MB: '0',
    }
    world = (await startWorld('double', async () => undefined, settings)).world
    const { slipstream, network } = world
    const options = {
      dataplaneUrl: `http://127.0.0.1:${port}`,
      httpVersion: '2' as const,
      plcUrl: network.plcUrl,
      serverDid: slipstream.did,
      mediaOrigin: slipstream.origin,
    }
    official = await startOfficialAppView(options)
    if (postgresHome) {
      postgres = await startPostgres(postgresHome)
      const { pdsUrl } = network
      own = await startOfficialAppView({ ...options, own: { postgresUrl: postgres.url, pdsUrl } })
    }
    seed = await sow(world, [official.origin, ...(own ? [own.origin] : [])])
    const askers = (origin: string) => ({
      vera: createAsker(world, seed.vera, origin),
      ann: createAsker(world, seed.ann, origin),
      visitor: createAsker(world, undefined, origin),
    })
    ask = {
      official: askers(official.origin),
      ours: askers(slipstream.origin),
      own: askers((own ?? official).origin),
    }
  })

  afterAll(async () => {
    await seed?.stop()
    await official?.stop()
    await own?.stop()
    await postgres?.stop()
    await world?.stop()
  })

  const requested = Object.keys(queries).filter((nsid) => !(nsid in unlike))

  describe.each(requested)('%s', (nsid) => {
    const askers: Who[] = nsid in unlikeForVisitors ? ['vera'] : ['vera', 'visitor']

    test.each(askers)('for %s', async (who) => {
      for (const params of asksOf(nsid)) {
        await eventually(() => compare({ nsid, params, who }, ['ours', 'official'], differences), {
          withinMs: WITHIN_MS,
        })
      }
    })
  })

  const onPostgres = Object.keys(queries).filter(
    (nsid) => !nsid.startsWith('io.') && !(nsid in unlikeOnPostgres),
  )

  describe.skipIf(!postgresHome).each(onPostgres)('%s, as on its own dataplane', (nsid) => {
    const askers: Who[] = nsid in unlikeOnPostgresForMembers ? ['visitor'] : ['vera', 'visitor']

    test.each(askers)('for %s', async (who) => {
      for (const params of asksOf(nsid)) {
        const request = { nsid, params, who }
        await eventually(() => compare(request, ['own', 'official'], differencesOnPostgres), {
          withinMs: WITHIN_MS,
        })
      }
    })
  })

  describe.skipIf(!postgresHome).each(['vera', 'ann', 'visitor'] as const)(
    'as on its own dataplane for %s',
    (who) => {
      test('for all requests', () => compareAll(furtherQuestions(seed), who))

      test('page by page', async () => {
        for (const [nsid, params] of walks(seed)) {
          const [expected, found] = await Promise.all([
            pagesOf('own', who, nsid, params),
            pagesOf('official', who, nsid, params),
          ])
          if (expected) expect(found, nsid).toEqual(expected)
        }
      })
    },
  )

  /**
   * Except for the reference's own failure: two lists that block an account
   * (official-differences.ts).
   */
  async function compareAll(questions: Question[], who: Who): Promise<void> {
    let compared = 0
    for (const [nsid, params] of questions) {
      const { status } = await ask.own[who].answer(nsid, { params })
      if (status >= 500) continue
      compared++
      const request = { nsid, params, who }
      await eventually(() => compare(request, ['own', 'official'], differencesOnPostgres), {
        withinMs: WITHIN_MS,
      })
    }
    expect(compared).toBeGreaterThan(questions.length / 2)
  }

  /** The subjects of the items on all pages; the status; or undefined if the request fails. */
  async function pagesOf(stack: Stack, who: Who, nsid: string, params: Params): Promise<unknown> {
    const items: unknown[] = []
    let cursor: unknown
    for (let page = 0; page < MAX_PAGES; page++) {
      const requested = { ...params, limit: PAGE, ...(page > 0 && { cursor }) }
      const { status, body } = await ask[stack][who].answer(nsid, { params: requested })
      if (status >= 500) return undefined
      if (status !== 200) return { status }
      const list = (Object.values(body).find((value) => Array.isArray(value)) ?? []) as Item[]
      items.push(...list.map(nameOf))
      cursor = body['cursor']
      if (!cursor) return items
    }
    throw new Error(`${nsid}: paging does not end`)
  }

  function asksOf(nsid: string): Params[] {
    return queries[nsid]!.asks?.(seed) ?? [{}]
  }

  async function compare(
    { nsid, params, who }: { nsid: string; params: Params; who: Who },
    stacks: [expected: Stack, asked: Stack],
    visible: (answer: Answer, nsid: string) => object,
  ): Promise<void> {
    const headers = { 'atproto-accept-labelers': seed.labeler.did }
    const answers = await Promise.all(
      stacks.map((stack) => ask[stack][who].answer(nsid, { params, headers })),
    )
    const [expected, found] = answers.map((answer) => visible(answer, nsid))
    const isFailed = answers.some(({ status }) => status >= 500)
    const message = isFailed
      ? [official, own, postgres]
          .map((officialAppView) => officialAppView?.output().slice(-3_000))
          .join('\n')
      : ''
    expect(found, `${nsid} ${JSON.stringify(params)} ${message}`).toEqual(expected)
  }

  test.skipIf(!postgresHome)(
    'rev and notifications of an account that never read here equal those of its own dataplane',
    async () => {
      const [zoe] = await people(world, 'zoe')
      const { ann, bo } = seed
      const reported = await post(zoe!, 'who never reads')
      // Her server adds what she wrote after this rev to the answer.
      const revAt = async ({ origin }: { origin: string }) => {
        const params = { actor: ann.did }
        const asker = createAsker(world, zoe, origin)
        const { headers } = await asker.decoded('app.bsky.feed.getAuthorFeed', { params })
        return headers.get('atproto-repo-rev')
      }
      await eventually(async () => {
        const rev = await revAt(own!)
        expect(rev).not.toBeNull()
        expect(await revAt(official)).toBe(rev)
      })
      await Promise.all([like(ann, reported), repost(bo, reported), follow(ann, zoe!)])
      const reportedAt = async ({ origin }: { origin: string }) => {
        const { body } = await createAsker(world, zoe, origin).decoded(
          'app.bsky.notification.listNotifications',
          { params: { limit: 100 } },
        )
        const all = body['notifications'] as { reason: string; uri: string; cid: string }[]
        return all.map(({ reason, uri, cid }) => `${reason} ${uri} ${cid}`).toSorted()
      }
      const areNotified = (count: number) =>
        eventually(
          async () => {
            const found = await reportedAt(official)
            expect(found).toHaveLength(count)
            expect(found).toEqual(await reportedAt(own!))
          },
          { withinMs: WITHIN_MS },
        )
      await areNotified(3)
      // Only now, because its own indexer notifies no one of a reply that it processes before the
      // post.
      await reply(bo, reported, reported, 'to whom')
      await areNotified(4)
    },
  )

  test.skipIf(!postgresHome)('private state is changed by either', async () => {
    const { ann, gil, quoted, veras } = seed
    const [{ vera: onOurs }, { vera: onOwn }] = [ask.official, ask.own]
    const subscribe = (subject: string, activitySubscription: object) => ({
      input: { subject, activitySubscription },
    })
    const bookmark = 'app.bsky.bookmark.'
    const subscription = 'app.bsky.notification.putActivitySubscription'
    const alike = () => compareAll(storedPrivately, 'vera')
    await onOurs.decoded(`${bookmark}createBookmark`, { input: veras[0]! })
    await onOurs.decoded(`${bookmark}deleteBookmark`, { input: { uri: quoted.uri } })
    await onOurs.decoded(subscription, subscribe(ann.did, { post: true, reply: true }))
    await onOurs.decoded(subscription, subscribe(gil.did, { post: true, reply: false }))
    await alike()
    await onOwn.decoded(`${bookmark}deleteBookmark`, { input: { uri: veras[0]!.uri } })
    await onOwn.decoded(subscription, subscribe(gil.did, { post: false, reply: false }))
    await alike()
    const { body } = await onOurs.decoded(`${bookmark}getBookmarks`, { params: {} })
    expect(body['bookmarks']).toHaveLength(2)
  })

  test.skipIf(!postgresHome)('subjects hidden by moderators are hidden on both', async () => {
    const { ann, bo, gil, listB, root } = seed
    const profile = `at://${bo.did}/app.bsky.actor.profile/self`
    const record = (uri: string) => ({
      $type: 'com.atproto.repo.strongRef',
      uri,
      cid: root.cid,
    })
    const subjects = [
      { $type: 'com.atproto.admin.defs#repoRef', did: gil.did },
      ...[profile, listB.uri].map(record),
    ]
    const decide = async (applied: boolean) => {
      for (const subject of subjects) {
        for (const { origin } of [official, own!]) await update(origin, subject, applied)
      }
    }
    const about = peopleOf(seed).map(({ did }): Question => {
      return ['app.bsky.actor.getProfile', { actor: did }]
    })
    const questions: Question[] = [
      ...about,
      ['app.bsky.feed.getPostThread', { uri: root.uri }],
      ['app.bsky.feed.getRepostedBy', { uri: root.uri }],
      ['app.bsky.graph.getList', { list: listB.uri }],
      ['app.bsky.graph.getLists', { actor: ann.did }],
    ]
    await decide(true)
    await compareAll(questions, 'ann')
    await compareAll(questions, 'visitor')
    await decide(false)
    await compareAll(questions, 'ann')
  })

  async function update(origin: string, subject: object, applied: boolean): Promise<void> {
    const password = Buffer.from(`admin:${OFFICIAL_ADMIN_PASSWORD}`).toString('base64')
    const response = await fetch(`${origin}/xrpc/com.atproto.admin.updateSubjectStatus`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Basic ${password}` },
      body: JSON.stringify({ subject, takedown: { applied } }),
    })
    expect(response.status).toBe(200)
  }

  test('a member’s private state is stored with us', async () => {
    const { vera } = ask.official
    const { did } = seed.gil
    const muted = async () => {
      const { body } = await ask.ours.vera.decoded('app.bsky.actor.getProfile', {
        params: { actor: did },
      })
      return (body['viewer'] as { muted: boolean }).muted
    }
    const mutes = 'app.bsky.graph.'
    await vera.decoded(`${mutes}muteActor`, { input: { actor: did } })
    expect(await muted()).toBe(true)
    await vera.decoded(`${mutes}unmuteActor`, { input: { actor: did } })
    expect(await muted()).toBe(false)
  })
})

type Item = { uri?: string; did?: string; id?: string } & {
  [of in 'post' | 'actor' | 'subject']?: { uri?: string; did?: string }
} & { reason?: { by?: { did: string } } }

/** Identifies the subject of an item. */
function nameOf({ post, actor, subject, reason, uri, did, id }: Item): string {
  const item = post ?? actor ?? subject
  return [uri ?? did ?? id ?? item?.uri ?? item?.did, reason?.by?.did].join(' ')
}
