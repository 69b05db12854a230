// Threads of random worlds, as the reference's own code presents them and as our methods answer: the same
// JSON, for every viewer, from every post.

import { describe, expect, test } from 'vitest'
import { jsonBytes } from '../../../../../../src/answers/views/json/ready-json.ts'
import type { Method, MethodContext } from '../../../../../../src/http/server/method.ts'
import type { AppContextOptions } from '../../../../../../src/http/xrpc/app-context.ts'
import { createMethods } from '../../../../../../src/http/xrpc/methods.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../../../../../support/hydration.ts'
import { indexWorld } from '../../../../../support/indexed-world.ts'
import { isMoreThanOurs } from '../../../../../support/members-only.ts'
import { createRandom, type Random } from '../../../../../support/random.ts'
import { randomThreads } from '../../../../../support/random-threads.ts'
import { referenceIsInstalled, referenceOver } from '../../../../../support/reference-appview.ts'
import {
  type ReferenceThreads,
  referenceThreads,
} from '../../../../../support/reference-threads.ts'
import { assertValidAnswer } from '../../../../../support/serving-world.ts'
import type { World } from '../../../../../support/social-world.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 4_001)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 3) }, (_, i) => FIRST_SEED + i)
const STEPS = 160
const ANCHORS = 14
/** When `indexWorld` indexes everything. */
const INDEXED_AT = Date.UTC(2027, 0, 1)

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

const V2 = 'app.bsky.unspecced.getPostThreadV2'
const OTHER = 'app.bsky.unspecced.getPostThreadOtherV2'
const V1 = 'app.bsky.feed.getPostThread'

/** Features that the random worlds must contain, or they would prove little. */
const unseen = new Set([
  ...['Post', 'NotFound', 'Blocked', 'NoUnauthenticated'].map((name) => `#threadItem${name}"`),
  ...['threadViewPost', 'blockedPost', 'notFoundPost'].map(
    (name) => `"app.bsky.feed.defs#${name}"`,
  ),
  ...['hiddenByThreadgate', 'mutedByViewer', 'opThread', 'moreParents', 'hasOtherReplies'].flatMap(
    (field) => [`"${field}":true`, `"${field}":false`],
  ),
  ...['opThreadPostIndex', 'opThreadPostCount', 'knownLikers', 'rootAuthorLike'].map(
    (field) => `"${field}":`,
  ),
  '"threadgate":{"uri"',
  '"moreReplies":0',
  '"moreReplies":1',
  '"following":"at:',
])

type Both = { ours: HydratedWorld; methods: Map<string, Method>; theirs: ReferenceThreads }

describe.skipIf(!referenceIsInstalled)('threads match the reference’s', () => {
  for (const seed of SEEDS) {
    test(`in the world with seed ${seed}`, async () => {
      const random = createRandom(seed)
      const world = randomThreads(random, STEPS)
      const ours = hydrateWorld(world, indexWorld)
      const reference = await referenceOver(world, ours.written.order)
      const theirs = await referenceThreads(world, reference, INDEXED_AT)
      const both = { ours, methods: methodsOver(ours), theirs }
      for (const viewer of [undefined, ...world.accounts.keys()]) {
        for (let i = 0; i < ANCHORS; i++) await compareOne(both, world, random, viewer)
      }
      ours.close()
    })
  }

  test('and cover every kind of item', () => {
    expect([...unseen]).toEqual([])
  })
})

async function compareOne(
  { methods, theirs }: Both,
  world: World,
  random: Random,
  viewer: string | undefined,
): Promise<void> {
  const made = world.deeds.filter(({ record }) => record.collection === 'app.bsky.feed.post')
  const anchor = random.pick(made).record.uri
  const options = {
    above: random.chance(0.8),
    below: random.pick([0, 1, 3, 6, 10]),
    branchingFactor: random.pick([0, 1, 2, 10]),
    sort: random.pick(['oldest', 'newest', 'top', 'else']),
  }
  const where = `${viewer} ${anchor} ${JSON.stringify(options)}`
  const v2 = ask(methods.get(V2)!, { anchor, ...options }, viewer)
  const expected = await theirs.v2(anchor, options, viewer)
  if (!isMoreThanOurs(expected, viewer)) expectSame(v2, expected, { nsid: V2, where })
  const other = ask(methods.get(OTHER)!, { anchor }, viewer)
  expectSame(other, await theirs.other(anchor, viewer), { nsid: OTHER, where })
  const depth = random.pick([0, 1, 6])
  const height = random.pick([0, 2, 80])
  const v1 = await theirs.v1(anchor, { depth, height }, viewer)
  const params = { uri: anchor, depth, parentHeight: height }
  if (isMoreThanOurs(v1, viewer)) return
  if ('notFound' in v1.thread) expect(() => ask(methods.get(V1)!, params, viewer)).toThrow()
  else expectSame(ask(methods.get(V1)!, params, viewer), v1, { nsid: V1, where })
}

function expectSame(
  ours: unknown,
  theirs: unknown,
  { nsid, where }: { nsid: string; where: string },
): void {
  expect(ours, `${nsid} ${where}`).toEqual(overTheWire(theirs))
  assertValidAnswer(nsid, ours)
  const text = JSON.stringify(ours)
  for (const kind of unseen) if (text.includes(kind)) unseen.delete(kind)
}

function ask(method: Method, params: Record<string, unknown>, viewer: string | undefined): unknown {
  const given = { viewer, params, input: undefined, labelers: undefined, token: undefined }
  const context = { ...given, signal: new AbortController().signal } as unknown as MethodContext
  const { body } = method.handler(context) as { body: unknown }
  return JSON.parse(jsonBytes(body).toString())
}

function methodsOver({ db, hydrator, written }: HydratedWorld): Map<string, Method> {
  const away = () => Promise.reject(new Error('the network is away'))
  const methods = createMethods({
    db,
    hydrator,
    actors: written.actors,
    graph: written.graph,
    writer: { send: async () => {} },
    resolver: { resolve: away, resolveHandle: away },
    fetch: away,
  } as unknown as AppContextOptions)
  return new Map(methods.map((method) => [method.nsid, method]))
}
