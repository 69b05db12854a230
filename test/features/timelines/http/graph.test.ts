// The graph for programs in a running process, against lists kept by the test.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

const SEED = testSeed('graph for programs')
const NAMES = Array.from({ length: 12 }, (_, i) => `person${i}`)
const random = createRandom(SEED)
let world: TimelinesProcess
let token: string
const edges = new Set<string>()

type List = { actors: string[]; next_cursor: string | null }
const ask = <T>(path: string) => world.ask<T>('GET', `/v1/graph/${path}`, { token })

beforeAll(async () => {
  world = await startTimelinesProcess(NAMES)
  await world.start()
  token = await world.token('graph', 'graph:read')
  for (let i = 0; i < 60; i++) {
    const [a, b] = [random.pick(NAMES), random.pick(NAMES)]
    if (a === b || edges.has(`${a} ${b}`)) continue
    edges.add(`${a} ${b}`)
    world.emit(a, 'app.bsky.graph.follow', { subject: world.didOf(b) })
  }
  const countAll = async () => {
    const query = NAMES.map((name) => `actor=${world.didOf(name)}`).join('&')
    const { body } = await ask<{ counts: { follows: number }[] }>(`counts?${query}`)
    return body.counts.reduce((sum, { follows }) => sum + follows, 0)
  }
  await becomes(countAll, (count) => count === edges.size)
}, 400_000)
afterAll(() => world.close())

const follows = (name: string) => NAMES.filter((other) => edges.has(`${name} ${other}`))
const followers = (name: string) => NAMES.filter((other) => edges.has(`${other} ${name}`))
const dids = (names: string[]) => names.map((name) => world.didOf(name)).sort()

async function complete(path: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: { body: List } = await ask<List>(
      `${path}&limit=2${cursor && `&cursor=${cursor}`}`,
    )
    found.push(...body.actors)
    cursor = body.next_cursor
  }
  expect(new Set(found).size).toBe(found.length)
  return found.sort()
}

test(`lists, page by page (seed ${SEED})`, async () => {
  for (const name of NAMES) {
    expect(await complete(`follows?actor=${world.didOf(name)}`)).toEqual(dids(follows(name)))
    expect(await complete(`followers?actor=${world.didOf(name)}`)).toEqual(dids(followers(name)))
  }
})

test('with NDJSON, a whole list at once, and the whole graph', async () => {
  const lines = async <T>(path: string) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' }
    const response = await fetch(`${world.origin()}/v1/graph/${path}`, { headers })
    return (await response.text())
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as T)
  }
  const [hub] = [...NAMES].sort((a, b) => followers(b).length - followers(a).length)
  const pages = await lines<List>(`followers?actor=${world.didOf(hub!)}`)
  expect(pages.flatMap(({ actors }) => actors).sort()).toEqual(dids(followers(hub!)))
  expect(pages.at(-1)!.next_cursor).toBeNull()
  const all = await lines<{ actor: string; follows: string[] }>('adjacency')
  const pairs = all.flatMap(({ actor, follows }) => follows.map((follow) => `${actor} ${follow}`))
  const expected = [...edges].map((edge) => edge.split(' ').map(world.didOf).join(' '))
  expect(pairs.sort()).toEqual(expected.sort())
})

test('hundreds of pairs in one request', async () => {
  const pairs = NAMES.flatMap((a) => NAMES.map((b) => [a, b] as const))
  const body = { pairs: pairs.map(([a, b]) => [world.didOf(a), world.didOf(b)]) }
  const answer = await world.ask<{ results: boolean[] }>('POST', '/v1/graph/contains', {
    token,
    body,
  })
  expect(answer.body.results).toEqual(pairs.map(([a, b]) => edges.has(`${a} ${b}`)))
})

test('the intersection of up to eight lists', async () => {
  for (let i = 0; i < 20; i++) {
    const sets = Array.from({ length: 2 + random.below(3) }, () => {
      return [random.chance(0.5) ? 'follows' : 'followers', random.pick(NAMES)] as const
    })
    const expected = sets
      .map(([of, name]) => (of === 'follows' ? follows(name) : followers(name)))
      .reduce((all, value) => all.filter((name) => value.includes(name)))
    const query = sets.map(([of, name]) => `set=${of}:${world.didOf(name)}`).join('&')
    expect(await complete(`intersection?${query}`)).toEqual(dids(expected))
  }
})

test('invalid requests are refused, and so are tokens without the scope', async () => {
  const status = async (path: string) => (await ask(path)).status
  expect(await status('follows')).toBe(400)
  expect(await status('follows?actor=alice')).toBe(400)
  expect(await status('follows?actor=did:plc:x&limit=1001')).toBe(400)
  expect(await status('follows?actor=did:plc:x&cursor=x')).toBe(400)
  expect(await status('intersection?set=follows:did:plc:x')).toBe(400)
  expect(await status(`intersection?${'set=follows:did:plc:x&'.repeat(9)}`)).toBe(400)
  expect(await status('intersection?set=likes:did:plc:x&set=follows:did:plc:x')).toBe(400)
  expect(await status('counts')).toBe(400)
  const pairs = Array.from({ length: 501 }, () => ['did:plc:x', 'did:plc:y'])
  for (const body of [{ pairs }, { pairs: [['x', 'y']] }, [], '{']) {
    expect((await world.ask('POST', '/v1/graph/contains', { token, body })).status).toBe(400)
  }
  expect((await ask<List>('follows?actor=did:plc:nobody')).body).toEqual({
    actors: [],
    next_cursor: null,
  })
  const reader = await world.token('reader', 'read:*')
  const path = `/v1/graph/follows?actor=${world.didOf(NAMES[0]!)}`
  expect((await world.ask('GET', path, { token: reader })).status).toBe(403)
  expect((await world.ask('GET', path)).status).toBe(401)
})
