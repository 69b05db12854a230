// The time to answer a request, mostly with a refusal, grows no faster than the request: every text parameter
// of every query, as long as allowed, every text and list of every procedure's body, and the headers that are
// read.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadLexicons } from '../../src/base/atproto/lexicons/lexicons.ts'
import { superlinear } from '../support/cpu-growth.ts'
import {
  parametersOf,
  positionsIn,
  sampleDid,
  samplePost,
  samplesOf,
  withValue,
} from '../support/lexicon-samples.ts'
import { searchable } from '../support/searching.ts'
import { createServingWorld, type ServingWorld } from '../support/serving-world.ts'
import { worstOf, worstText, worstTexts } from '../support/worst-texts.ts'

/** Just below the size that is refused unread. */
const BODY_SIZE = 96_000
const SEARCH_SIZE = 15_500
const TIMEOUT_MS = 600_000
const lexicons = loadLexicons()

let world: ServingWorld

beforeAll(() => {
  world = createServingWorld({ labelers: [sampleDid] })
  world.member(sampleDid)
  world.profile(sampleDid, { displayName: 'Sample' })
  world.handle(sampleDid, 'sample.test')
  world.create(sampleDid, 'app.bsky.feed.post', { text: 'hello' }, samplePost.split('/').at(-1))
  searchable(world)
})
afterAll(() => world.dispose())

const nsidsOf = (kind: 'query' | 'procedure') =>
  world.methods.filter((method) => method.kind === kind).map(({ nsid }) => nsid)

/** Encodes a text as compactly as possible, so that most of it fits. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/%(?:2F|3A|40)/g, decodeURIComponent)
}

async function query(nsid: string, params: Record<string, unknown>): Promise<void> {
  const search = Object.entries(params).map(([name, value]) => `${name}=${encoded(`${value}`)}`)
  const headers = { authorization: `Bearer ${sampleDid}` }
  const request = new Request(`http://localhost/xrpc/${nsid}?${search.join('&')}`, { headers })
  const answer = await world.server.fetch(request)
  await answer.text()
  expect(answer.status).toBeLessThan(500)
}

test('every text parameter of every query', { timeout: TIMEOUT_MS }, async () => {
  const found: string[] = []
  let requested = 0
  for (const nsid of nsidsOf('query')) {
    const { required, texts } = parametersOf(lexicons, nsid)
    for (const { name, sample } of texts) {
      for (const worst of worstTexts) {
        requested++
        const unit = encoded(worstText(worst, 1)).length
        const work = (size: number) => {
          const text = worstText(worst, 1).repeat(size / unit)
          return query(nsid, { ...required, [name]: `${sample}${text}!x` })
        }
        const slow = await superlinear(work, SEARCH_SIZE)
        if (slow) found.push(`${nsid} ${name}, ${worst}: ${slow}`)
      }
    }
  }
  expect(found).toEqual([])
  expect(requested).toBeGreaterThan(2_000)
})

test('every text and list in the body of every procedure', { timeout: TIMEOUT_MS }, async () => {
  const found: string[] = []
  const seen = new Set<string>()
  for (const nsid of nsidsOf('procedure')) {
    for (const sample of samplesOf(lexicons, nsid)) {
      for (const position of positionsIn(sample)) {
        if (seen.has(nsid + position.kind)) continue
        seen.add(nsid + position.kind)
        for (const [name, make] of worstOf(position.value)) {
          const work = (size: number) =>
            world.tell(nsid, withValue(sample, position, make(size)), sampleDid)
          const slow = await superlinear(work, BODY_SIZE)
          if (slow) found.push(`${nsid} ${position.kind}, ${name}: ${slow}`)
        }
      }
    }
  }
  expect(found).toEqual([])
  expect(seen.size).toBeGreaterThan(50)
})

const headers = [
  'accept',
  'accept-encoding',
  'accept-language',
  'atproto-accept-labelers',
  'authorization',
  'content-type',
  'if-none-match',
  'x-forwarded-for',
]

test.each(headers)('the header %s', async (name) => {
  const found: string[] = []
  for (const worst of worstTexts) {
    const unit = worstText(worst, 1)
    if (!/^[ -~]*$/.test(unit)) continue
    const work = (size: number) => {
      const value = `${sampleDid}${unit.repeat(size / unit.length)}!x`
      return world.ask('app.bsky.feed.getTimeline', {}, sampleDid, { [name]: value })
    }
    const slow = await superlinear(work, SEARCH_SIZE)
    if (slow) found.push(`${worst}: ${slow}`)
  }
  expect(found).toEqual([])
})
