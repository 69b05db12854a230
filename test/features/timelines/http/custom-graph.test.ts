// Graphs kept by programs in a running process, against sets of pairs kept by the test, with kill -9 in
// between.

import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  customGraphSchema,
  dumpedLineSchema,
  editedGraphSchema,
  loadedSchema,
} from '../../../../scripts/docs/openapi-graph.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import {
  becomes,
  startTimelinesProcess,
  type TimelinesProcess,
} from '../../../support/timelines-process.ts'

const SEED = testSeed('graphs of programs')
const random = createRandom(SEED)
const NAMES = Array.from({ length: 15 }, (_, i) => `node:${i}`)
type Side = 'follows' | 'followers'
type Pair = [string, string]
type Page = { actors: string[]; next_cursor: string | null }

let world: TimelinesProcess
let token: string
const edges = new Map<string, Pair>()

beforeAll(async () => {
  world = await startTimelinesProcess(['alice'])
  await world.start()
  token = await world.token('graphs', 'graph:read:*', 'graph:write:*')
}, 400_000)
afterAll(() => world.close())

const get = <T>(path: string) => world.ask<T>('GET', `/v1/graphs/${path}`, { token })
const edit = (graph: string, body: unknown) =>
  world.ask('POST', `/v1/graphs/${graph}/edges`, { token, body })

/** Lines, or the error. */
async function lines(path: string): Promise<unknown[]> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' }
  const response = await fetch(`${world.origin()}/v1/graphs/${path}`, { headers })
  const text = await response.text()
  expect([response.status, response.ok || text]).toEqual([200, true])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}

async function dump(graph: string): Promise<Pair[]> {
  const found = await lines(`${graph}/adjacency`)
  return found.flatMap((line) => {
    const { actor, follows } = dumpedLineSchema.parse(line)
    return follows.map((follow): Pair => [actor, follow])
  })
}

function load(graph: string, id: string, from: number, body: string) {
  const headers = { 'content-type': 'application/x-ndjson' }
  const path = `/v1/graphs/${graph}/adjacency?load=${id}&from=${from}`
  return world.ask<{ lines: number; message: string }>('POST', path, { token, body, headers })
}

function expected(of: Side, name: string): string[] {
  const [at, other] = of === 'follows' ? [0, 1] : [1, 0]
  return [...edges.values()].filter((pair) => pair[at] === name).map((pair) => pair[other]!)
}

async function complete(path: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: { body: Page } = await get<Page>(
      `${path}&limit=3${cursor && `&cursor=${cursor}`}`,
    )
    found.push(...body.actors)
    cursor = body.next_cursor
  }
  return found.sort()
}

function randomPairs(most: number): Pair[] {
  return Array.from({ length: random.below(most) }, () => [random.pick(NAMES), random.pick(NAMES)])
}

/**
 * Removals are applied first.
 * @returns the expected count of each
 */
function applyToModel(add: Pair[], remove: Pair[]) {
  const removed = remove.filter((pair) => edges.delete(pair.join(' '))).length
  let added = 0
  for (const pair of add) {
    if (!edges.has(pair.join(' '))) added++
    edges.set(pair.join(' '), pair)
  }
  return { added, removed }
}

async function expectAll(): Promise<void> {
  const sorted = (pairs: Iterable<Pair>) => [...pairs].map((pair) => pair.join(' ')).sort()
  expect(sorted(await dump('random'))).toEqual(sorted(edges.values()))
  const description = customGraphSchema.parse((await get('random')).body)
  expect(description.edges).toBe(edges.size)
  const query = NAMES.map((name) => `actor=${name}`).join('&')
  expect((await get(`random/counts?${query}`)).body).toEqual({
    counts: NAMES.map((actor) => ({
      actor,
      follows: expected('follows', actor).length,
      followers: expected('followers', actor).length,
    })),
  })
}

async function expectLists(): Promise<void> {
  const [a, b, c] = [random.pick(NAMES), random.pick(NAMES), random.pick(NAMES)]
  expect(await complete(`random/follows?actor=${a}`)).toEqual(expected('follows', a).sort())
  expect(await complete(`random/followers?actor=${b}`)).toEqual(expected('followers', b).sort())
  const query = `set=followers:${a}&set=followers:${b}&set=follows:${c}`
  const inAll = expected('followers', a)
    .filter((value) => expected('followers', b).includes(value))
    .filter((value) => expected('follows', c).includes(value))
  expect(await complete(`random/intersection?${query}`)).toEqual(inAll.sort())
  const pages = (await lines(`random/follows?actor=${a}`)) as Page[]
  expect(pages.at(-1)!.next_cursor).toBeNull()
  expect(pages.flatMap(({ actors }) => actors).sort()).toEqual(expected('follows', a).sort())
}

test(`random follows and unfollows match the model, across kill -9 (seed ${SEED})`, async () => {
  for (let step = 0; step < 24; step++) {
    const [add, remove] = [randomPairs(12), randomPairs(8)]
    const answer = await edit('random', { add, remove })
    expect(editedGraphSchema.parse(answer.body)).toEqual(applyToModel(add, remove))
    if (step % 12 === 8) {
      await world.kill()
      await world.start()
      await expectAll()
    }
    await expectLists()
  }
  await expectAll()
  const pairs = NAMES.flatMap((a) => NAMES.map((b): Pair => [a, b]))
  const path = '/v1/graphs/random/contains'
  const { body } = await world.ask('POST', path, { token, body: { pairs } })
  expect(body).toEqual({ results: pairs.map((pair) => edges.has(pair.join(' '))) })
}, 400_000)

test('a load interrupted by kill -9 continues where it was, and a dump loads the same', async () => {
  const list = Array.from({ length: 5_500 }, (_, i) => {
    return { actor: `a${i}`, follows: [`a${i + 1}`, `a${i + 2}`, 'hub'] }
  })
  const textFrom = (from: number) =>
    list
      .slice(from)
      .map((item) => JSON.stringify(item))
      .join('\n')
  const loading = load('large', 'first', 0, textFrom(0)).catch(() => undefined)
  const applied = async () => {
    const { status, body } = await get<{ load: { lines: number } }>('large')
    return status === 200 ? body.load.lines : 0
  }
  await becomes(applied, (count) => count > 0)
  await world.kill()
  await loading
  await world.start()
  const from = await applied()
  expect(from).toBeGreaterThan(0)
  const elsewhere = await load('large', 'first', from + 1, textFrom(from + 1))
  expect([elsewhere.status, elsewhere.body.message]).toEqual([
    409,
    `Load first has ${from} lines applied: continue with from=${from}`,
  ])
  const { body } = await load('large', 'first', from, textFrom(from))
  expect(loadedSchema.parse(body).lines).toBe(list.length)
  const dumped = await dump('large')
  expect(dumped).toHaveLength(list.length * 3)
  expect(new Set(dumped.map((pair) => pair.join(' ')))).toEqual(
    new Set(list.flatMap(({ actor, follows }) => follows.map((follow) => `${actor} ${follow}`))),
  )
  const followers = (await lines('large/followers?actor=hub')) as Page[]
  expect(followers.map(({ actors }) => actors.length)).toEqual([
    1_000, 1_000, 1_000, 1_000, 1_000, 500,
  ])
  const rest = await lines(`large/followers?actor=hub&cursor=${followers[3]!.next_cursor}`)
  expect(rest).toEqual(followers.slice(4))
  const text = (await lines('large/adjacency')).map((line) => JSON.stringify(line)).join('\n')
  expect((await load('copy', 'c', 0, text)).status).toBe(200)
  expect(await dump('copy')).toHaveLength(dumped.length)
}, 400_000)

test('a dump continues after the line whose cursor is given', async () => {
  const all = (await lines('random/adjacency')) as { cursor: string }[]
  const at = Math.floor(all.length / 2)
  expect(await lines(`random/adjacency?cursor=${all[at]!.cursor}`)).toEqual(all.slice(at + 1))
})

test('a deleted graph is gone at once, and its name can be used again', async () => {
  const path = '/v1/graphs/copy'
  expect((await world.ask('DELETE', path, { token })).body).toEqual({ deleted: true })
  expect((await get('copy')).status).toBe(404)
  expect((await world.ask('DELETE', path, { token })).status).toBe(404)
  await edit('copy', { add: [['x', 'y']] })
  expect(await dump('copy')).toEqual([['x', 'y']])
})

test('a request that adds no follow creates no graph', async () => {
  for (const body of [{}, { remove: [['a', 'b']] }]) {
    const { status, body: answer } = await edit('none', body)
    expect([status, answer]).toEqual([200, { added: 0, removed: 0 }])
  }
  expect((await get('none')).status).toBe(404)
})

test('a wrong line is named; those before it are applied', async () => {
  const good = '{"actor":"x","follows":["y"]}\n'
  for (const bad of ['{', '{"actor":"x"}', '{"actor":"two words","follows":[]}', '[]']) {
    const { status, body } = await load(
      'wrong',
      `bad${bad.length}`,
      0,
      `${good}${good}${bad}\n${good}`,
    )
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^Line 2 is not /)])
    const described = (await get('wrong')).body
    expect(described).toEqual({
      graph: 'wrong',
      edges: 1,
      load: { id: `bad${bad.length}`, lines: 2 },
    })
  }
  const long = `{"actor":"x","follows":["${'y'.repeat(600_000)}"]}`
  expect((await load('wrong', 'long', 0, long)).status).toBe(413)
})

test('invalid requests are refused, and so are tokens without the scope', async () => {
  const status = async (path: string) => (await get(path)).status
  expect(await status('never/follows?actor=a')).toBe(404)
  expect(await status('BAD%20NAME')).toBe(400)
  expect(await status('random/follows')).toBe(400)
  expect(await status('random/follows?actor=two%20words')).toBe(400)
  expect(await status('random/follows?actor=a&cursor=x')).toBe(400)
  expect(await status('random/adjacency?cursor=x')).toBe(400)
  expect(await status('random/intersection?set=follows:a')).toBe(400)
  for (const body of ['{', [], { add: [['a']] }, { add: [['a', 'two words']] }, { more: 1 }]) {
    expect((await edit('random', body)).status).toBe(400)
  }
  expect(await status('random/follows?actor=a&actor=b')).toBe(400)
  const headers = { 'content-type': 'text/plain' }
  for (const [what, body] of [
    ['edges', { add: [['a', 'b']] }],
    ['contains', { pairs: [] }],
  ] as const) {
    const path = `/v1/graphs/random/${what}`
    expect((await world.ask('POST', path, { token, body, headers })).status).toBe(415)
  }
  const many = Array.from({ length: 501 }, () => ['a', 'b'])
  expect((await edit('random', { add: many })).status).toBe(400)
  expect((await load('random', '', 0, '')).status).toBe(400)
  expect((await load('random', 'x', -1, '')).status).toBe(400)
  const other = await world.token('other', 'graph:read', 'graph:read:random', 'graph:write:mine')
  const asOther = async (method: string, path: string, body?: unknown) =>
    (await world.ask(method, `/v1/graphs/${path}`, { token: other, body })).status
  expect(await asOther('GET', 'random')).toBe(200)
  expect(await asOther('GET', 'large')).toBe(403)
  expect(await asOther('POST', 'random/edges', { add: [['a', 'b']] })).toBe(403)
  expect(await asOther('DELETE', 'random')).toBe(403)
  expect(await asOther('POST', 'mine/edges', { add: [['a', 'b']] })).toBe(200)
  expect((await world.ask('GET', '/v1/graphs/random')).status).toBe(401)
})
