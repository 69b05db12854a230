// Moderation that travels: clients decide by the labels, relations and lists that we send. The official library
// decides over our answers as over those of the reference on its own dataplane, for each view in them, in each place
// of a screen, under each of a grid of preferences.

import { interpretLabelValueDefinitions } from '@atproto/api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Asker, createAsker, type Params } from './conformance/ask.ts'
import {
  type Client,
  comparable,
  decisionsOf,
  type Subject,
  subjectsIn,
} from './moderation/decisions.ts'
import { moderationPreferences } from './moderation/preferences.ts'
import { moderationQuestions } from './moderation/questions.ts'
import { type ModerationSeed, sowModeration, TAG, WORD } from './moderation/seed.ts'
import { freePort } from './support/free-port.ts'
import { type OfficialAppView, startOfficialAppView } from './support/official-appview.ts'
import { findPostgres, type Postgres, startPostgres } from './support/postgres.ts'
import { startWorld, type World } from './support/world.ts'

const WITHIN_MS = 60_000
const MIN_CELLS = 20_000
/** Differences in the message of a failure. */
const PRESENTED = 20
const MAX_PAGES = 20

const postgresHome = findPostgres()
if (!postgresHome) {
  console.warn('No Postgres is installed: decisions are not compared with those on the reference.')
}

type Who = 'member' | 'visitor'
type Stack = 'ours' | 'reference'
const stacks: Stack[] = ['ours', 'reference']

describe.skipIf(!postgresHome)('the official library decides as on the reference', () => {
  let world: World
  let postgres: Postgres
  let reference: OfficialAppView
  let seed: ModerationSeed
  let ask: Record<Stack, Record<Who, Asker>>
  let origins: Record<Stack, string>
  let preferences: ReturnType<typeof moderationPreferences>

  beforeAll(async () => {
    const port = await freePort()
    const settings = {
      SLIPSTREAM_DATAPLANE_PORT: String(port),
      SLIPSTREAM_INDEX_SCOPE: 'network',
    }
    world = (await startWorld('double', async () => undefined, settings)).world
    const { slipstream, network } = world
    postgres = await startPostgres(postgresHome!)
    reference = await startOfficialAppView({
      dataplaneUrl: `http://127.0.0.1:${port}`,
      httpVersion: '2',
      plcUrl: network.plcUrl,
      serverDid: slipstream.did,
      mediaOrigin: slipstream.origin,
      own: { postgresUrl: postgres.url, pdsUrl: network.pdsUrl },
    })
    const { origin } = reference
    seed = await sowModeration(world, { origin, postgresUrl: postgres.url })
    origins = { ours: slipstream.origin, reference: origin }
    preferences = moderationPreferences(seed.labelers.map(({ did }) => did) as [string, string], {
      word: WORD,
      tag: TAG,
      hiddenPosts: seed.made.flatMap(({ posts }) => posts[0]!.uri),
    })
  })

  afterAll(async () => {
    await seed?.stop()
    await reference?.stop()
    await postgres?.stop()
    await world?.stop()
  })

  describe.each(['member', 'visitor'] as const)('for a %s', (who) => {
    test.each([
      ['no labeler', () => ''],
      ['labelers that label', ([a, b]: string[]) => `${a}, ${b}`],
      ['one of two that may redact', ([a, b]: string[]) => `${a};redact, ${b}`],
    ])('with %s', async (name, accepted) => {
      ask = { ours: askersAt(origins.ours), reference: askersAt(origins.reference) }
      const dids = seed.labelers.map(({ did }) => did)
      const headers = { 'atproto-accept-labelers': accepted(dids) }
      const clients = await clientsOf(who, headers)
      const found: Comparison = { differences: [], cells: 0, eventful: 0 }
      for (const [nsid, params] of moderationQuestions(seed, who)) {
        // Once one remains, both have all there is to have.
        const withinMs = found.differences.length > 0 ? 0 : WITHIN_MS
        const comparison = await settled(
          () => compare({ nsid, params, who, headers }, clients),
          withinMs,
        )
        found.differences.push(...comparison.differences)
        found.cells += comparison.cells
        found.eventful += comparison.eventful
      }
      console.info(`${who}, ${name}: ${found.cells} decisions, ${found.eventful} of them to act`)
      expect(found.differences.slice(0, PRESENTED).join('\n\n')).toBe('')
      expect(found.cells).toBeGreaterThan(MIN_CELLS)
    })
  })

  /** New for each test, since tokens are for ten minutes. */
  function askersAt(origin: string): Record<Who, Asker> {
    return {
      member: createAsker(world, seed.vera, origin),
      visitor: createAsker(world, undefined, origin),
    }
  }

  /** A client takes definitions from the labeler's view, as its server sends it. */
  async function clientsOf(
    who: Who,
    headers: Record<string, string>,
  ): Promise<Record<Stack, Client>> {
    const userDid = who === 'member' ? seed.vera.did : undefined
    const params = { dids: [seed.judge.did], detailed: true }
    const entries = stacks.map(async (stack) => {
      const { body } = await ask[stack][who].decoded('app.bsky.labeler.getServices', {
        params,
        headers,
      })
      const [view] = body['views'] as Parameters<typeof interpretLabelValueDefinitions>
      const defined = interpretLabelValueDefinitions(view)
      expect(defined.length).toBeGreaterThan(0)
      const labelDefs = Object.fromEntries(seed.labelers.map(({ did }) => [did, defined]))
      return [stack, { userDid, labelDefs }] as const
    })
    return Object.fromEntries(await Promise.all(entries)) as Record<Stack, Client>
  }

  type RequestOptions = { nsid: string; params: Params; who: Who; headers: Record<string, string> }

  async function compare(
    { nsid, params, who, headers }: RequestOptions,
    clients: Record<Stack, Client>,
  ): Promise<Comparison> {
    const [ours, theirs] = await Promise.all(
      stacks.map(async (stack) => {
        const { status, bodies } = await allPages(ask[stack][who], nsid, { params, headers })
        return { status, subjects: byName(bodies.flatMap((body) => subjectsOf(body, who))) }
      }),
    )
    const what = `${nsid} ${JSON.stringify(params)}`
    const found: Comparison = { differences: [], cells: 0, eventful: 0 }
    if (ours!.status !== theirs!.status) {
      found.differences.push(`${what}: ${ours!.status}, and ${theirs!.status} on the reference`)
      return found
    }
    const extra = [...ours!.subjects.keys()].filter((name) => !theirs!.subjects.has(name))
    found.differences.push(...extra.map((name) => `${what}: ours alone: ${name}`))
    for (const [name, view] of theirs!.subjects) {
      const own = ours!.subjects.get(name)
      if (!own) found.differences.push(`${what}: the reference’s alone: ${name}`)
      else compareViews({ what, name, views: { ours: own, reference: view } }, clients, found)
    }
    return found
  }

  function compareViews(
    { what, name, views }: { what: string; name: string; views: Record<Stack, Subject> },
    clients: Record<Stack, Client>,
    found: Comparison,
  ): void {
    for (const { name: under, prefs } of preferences) {
      const expected = decisionsOf(views.reference, clients.reference, prefs)
      for (const [context, own] of Object.entries(decisionsOf(views.ours, clients.ours, prefs))) {
        found.cells++
        if (own !== '') found.eventful++
        if (own === expected[context]) continue
        const both = `ours: ${own}\nreference: ${expected[context]}`
        found.differences.push(`${what}\n${name}\n${under}, ${context}\n${both}`)
      }
    }
  }
})

/** To the end: a page of ours is full, where the reference's has gaps for what it hides. */
async function allPages(
  { answer }: Asker,
  nsid: string,
  requested: { params: Params; headers: Record<string, string> },
): Promise<{ status: number; bodies: object[] }> {
  const bodies: object[] = []
  let params = requested.params
  for (;;) {
    const { status, body } = await answer(nsid, { ...requested, params })
    if (status !== 200) return { status, bodies: [] }
    bodies.push(body)
    const { cursor } = body
    if (cursor === undefined) return { status, bodies }
    if (bodies.length === MAX_PAGES) throw new Error(`${nsid}: paging does not end`)
    params = { ...requested.params, cursor }
  }
}

function subjectsOf(body: object, who: Who): Subject[] {
  return subjectsIn(comparable(body, who === 'visitor'))
}

type Comparison = { differences: string[]; cells: number; eventful: number }

/** Asks again for some time while there are differences. */
async function settled(ask: () => Promise<Comparison>, withinMs: number): Promise<Comparison> {
  let last: Comparison | undefined
  const check = async () => {
    last = await ask()
    expect(last.differences).toHaveLength(0)
  }
  await eventually(check, { withinMs, pollMs: 200 }).catch((error) => {
    if (!last) throw error
  })
  return last!
}

/** In order of their names; those of one name, such as an author of two posts, are numbered. */
function byName(subjects: readonly Subject[]): Map<string, Subject> {
  const found = new Map<string, Subject>()
  for (const subject of subjects) {
    let name = `${subject.name} ${subject.decide.name}`
    for (let i = 2; found.has(name); i++) name = `${subject.name} ${subject.decide.name} ${i}`
    found.set(name, subject)
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
