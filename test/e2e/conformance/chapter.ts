// Every registered method over a seeded network: through the official decoder; for a member, for a visitor
// and through the PDS; page by page to the end; at its limits; with every wrong value that its lexicon
// defines; for nonexistent subjects; and with every answer checked for content that must be hidden.
//
// A method without a case in cases.ts fails.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allMethods } from '../../../scripts/docs/methods-page.ts'
import { eventually } from '../../support/eventually.ts'
import type { World } from '../support/world.ts'
import { type Asker, type Body, createAsker, type Params, schemaOf } from './ask.ts'
import { audit, type Rules } from './audit.ts'
import { type Case, procedures, queries } from './cases.ts'
import { factsOf } from './lexicon-facts.ts'
import { type Seed, sow } from './seed.ts'

const MAX_PAGES = 60

export function conformanceChapter(world: () => World): void {
  let seed: Seed
  let vera: Asker
  let visitor: Asker
  const methods = new Map(allMethods().map((method) => [method.nsid, method]))

  beforeAll(async () => {
    seed = await sow(world())
    vera = createAsker(world(), seed.vera)
    visitor = createAsker(world(), undefined)
  })

  afterAll(() => seed?.stop())

  test('every registered method has a case, and every case its method', () => {
    const cases = [...Object.keys(queries), ...Object.keys(procedures)]
    // Methods for moderators only have their own test: test/http/xrpc/takedowns.test.ts.
    const forClients = [...methods].filter(([, { auth }]) => auth !== 'moderator')
    expect(cases.toSorted()).toEqual(forClients.map(([nsid]) => nsid).toSorted())
  })

  describe.each(Object.keys(queries))('%s', (nsid) => {
    const item = queries[nsid]!
    const auth = methods.get(nsid)?.auth
    const asks = () => item.asks?.(seed) ?? [{}]

    test('gives a member the items they may see, page by page', async () => {
      for (const params of asks()) {
        if (item.refusal) {
          expect(await vera.outcome(nsid, { params })).toMatchObject({ error: item.refusal })
          continue
        }
        await eventually(async () => {
          const { body } = await vera.decoded(nsid, { params })
          audit(body, rulesFor(seed))
          if (!item.mayBeEmpty) expect(isEmpty(nsid, body), `${nsid} is empty`).toBe(false)
        })
        await readToTheEnd(nsid, item, { asker: vera, params, rules: rulesFor(seed) })
        await withLabels(nsid, params)
        await throughPds(nsid, params)
      }
    })

    test(auth === 'required' ? 'refuses a visitor' : 'answers a visitor', async () => {
      for (const params of asks()) {
        if (auth === 'required' || (item.visitors && item.visitors !== 'nothing')) {
          const error = auth === 'required' ? 'AuthMissing' : item.visitors
          expect(await visitor.outcome(nsid, { params })).toMatchObject({ error })
          continue
        }
        const { body } = await visitor.decoded(nsid, { params })
        audit(body, rulesForVisitors(seed))
        expect(JSON.stringify(body)).not.toContain('"viewer"')
        await readToTheEnd(nsid, item, { asker: visitor, params, rules: rulesForVisitors(seed) })
      }
    })

    test('refuses wrong values and handles unknown subjects', async () => {
      const [right = {}] = asks()
      for (const [what, params] of factsOf(nsid).wrong(right)) {
        const outcome = await vera.outcome(nsid, { params })
        expect(outcome, what).toMatchObject({ status: 400, error: expect.stringMatching(/^\w+$/) })
      }
      if (factsOf(nsid).isPaged && nsid !== 'app.bsky.feed.getFeed') {
        for (const cursor of ['rubbish', '::', '0', ' ', 'x'.repeat(3_000)]) {
          const { status } = await vera.outcome(nsid, { params: { ...right, cursor } })
          expect([200, 400], `${nsid} with the cursor ${cursor.slice(0, 9)}`).toContain(status)
        }
      }
      expect(await vera.outcome(nsid, { input: {} })).toMatchObject({ status: 400 })
      for (const params of item.unknown?.(seed) ?? []) {
        for (const asker of [vera, visitor]) await survives(asker, nsid, params)
      }
    })

    /** Requests as the app does; the PDS's own answers must be as good. */
    async function throughPds(nsid: string, params: Params): Promise<void> {
      // The PDS reaches unofficial methods only through `atproto-proxy`, and these have no official
      // decoder.
      if (nsid.startsWith('io.')) return
      const body = await seed.vera.client('by-header').call(schemaOf(nsid), params as never)
      audit(body, rulesFor(seed))
    }

    async function withLabels(nsid: string, params: Params): Promise<void> {
      for (const redact of [false, true]) {
        const accepted = `${seed.labeler.did}${redact ? ';redact' : ''}`
        const headers = { 'atproto-accept-labelers': accepted }
        const answer = await vera.decoded(nsid, { params, headers })
        audit(answer.body, rulesFor(seed, { isLabelling: true, redact }))
        if (!JSON.stringify(answer.body).includes(`"src":"${seed.labeler.did}"`)) continue
        if (nsid === 'com.atproto.label.queryLabels') continue
        expect(answer.headers.get('atproto-content-labelers')).toBe(accepted)
      }
    }
  })

  async function survives(asker: Asker, nsid: string, params: Params): Promise<void> {
    const { status, error } = await asker.outcome(nsid, { params })
    expect(status, `${nsid} ${JSON.stringify(params)}: ${error}`).toBeLessThan(500)
    if (status === 200) await asker.decoded(nsid, { params })
    else expect(error).toMatch(/^\w+$/)
  }

  describe.each(Object.keys(procedures))('%s', (nsid) => {
    const item = procedures[nsid]!

    test('has its effect for members, and refuses wrong values', async () => {
      const asks = item.asks?.(seed) ?? [{}]
      for (const input of asks) {
        expect(await visitor.outcome(nsid, { input })).toMatchObject({ error: 'AuthMissing' })
        if (item.refusal) {
          expect(await vera.outcome(nsid, { input })).toMatchObject({ error: item.refusal })
        } else await vera.decoded(nsid, { input })
      }
      for (const [what, input] of factsOf(nsid).wrong(asks[0]!)) {
        expect(await vera.outcome(nsid, { input }), what).toMatchObject({ status: 400 })
      }
      for (const input of item.unknown?.(seed) ?? []) {
        const { status, error } = await vera.outcome(nsid, { input })
        expect(status, `${nsid} ${error}`).toBeLessThan(500)
      }
      expect(await vera.outcome(nsid, { method: 'GET' })).toMatchObject({ status: 400 })
    })
  })
}

/** Small pages contain the same items as a big one, each once. */
async function readToTheEnd(
  nsid: string,
  item: Case,
  { asker, params, rules }: { asker: Asker; params: Params; rules: Rules },
): Promise<void> {
  const { isPaged, maxLimit, list } = factsOf(nsid)
  if (maxLimit > 0) {
    for (const limit of [1, maxLimit]) {
      const { body } = await asker.decoded(nsid, { params: { ...params, limit } })
      if (list) expect((body[list] as unknown[]).length).toBeLessThanOrEqual(limit)
    }
  }
  if (!isPaged || !list || item.uneven?.(params)) return
  const complete = await pages(nsid, { asker, params: { ...params, limit: maxLimit }, rules, list })
  const small = await pages(nsid, { asker, params: { ...params, limit: 2 }, rules, list })
  expect(new Set(small).size, `${nsid}: an item appears twice`).toBe(small.length)
  const inOrder = (items: string[]) => (item.unordered ? items.toSorted() : items)
  expect(inOrder(small), `${nsid} page by page`).toEqual(inOrder(complete))
}

async function pages(
  nsid: string,
  { asker, params, rules, list }: { asker: Asker; params: Params; rules: Rules; list: string },
): Promise<string[]> {
  const found: string[] = []
  let cursor: unknown
  for (let i = 0; i < MAX_PAGES; i++) {
    const page = cursor === undefined ? params : { ...params, cursor }
    const { body } = await asker.decoded(nsid, { params: page })
    audit(body, rules)
    found.push(...(body[list] as Body[]).map(identityOf))
    cursor = body['cursor']
    // The last page of drafts has the cursor '' where others have none, as in the reference.
    if (cursor === undefined || cursor === '') return found
  }
  throw new Error(`${nsid}: paging does not end`)
}

/** The identity of a list item. */
function identityOf(item: Body): string {
  const { post, reason, uri, did, actor, subject, list, starterPack, id } = item as {
    [name: string]: Body & string
  }
  const by = (reason as Body | undefined)?.['uri'] ?? (reason as Body | undefined)?.['$type'] ?? ''
  const inner = post ?? list ?? starterPack ?? actor ?? subject
  return String(
    uri ??
      did ??
      id ??
      (inner ? `${inner['uri'] ?? inner['did'] ?? ''} ${by}` : JSON.stringify(item)),
  )
}

function isEmpty(nsid: string, body: Body): boolean {
  const { list } = factsOf(nsid)
  return list ? (body[list] as unknown[]).length === 0 : Object.keys(body).length === 0
}

function rulesFor(seed: Seed, { isLabelling = false, redact = false } = {}): Rules {
  const { dan, eve, ivy, fay, gil, labeler, labelled, takenDown } = seed
  const labels = (values: string[]) => ({ src: labeler.did, values: isLabelling ? values : [] })
  return {
    unseen: [dan, eve, ivy, fay].map(({ did }) => did),
    gone: [fay.did],
    takenDown: redact ? [takenDown.uri] : [],
    labels: new Map([
      [labelled.uri, labels(['spam'])],
      [gil.did, labels(['rude'])],
    ]),
  }
}

function rulesForVisitors(seed: Seed): Rules {
  return { ...rulesFor(seed), unseen: [seed.fay.did, seed.hal.did] }
}
