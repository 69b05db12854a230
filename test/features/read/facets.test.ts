// What a text that is being written means: links, mentions and hashtags, by bytes of UTF-8; in the browser's own
// module, which needs no page for it.

import { expect, test } from 'vitest'
import { facetsOf, leftOf, lengthOf } from '../../../src/features/read/assets/writing/facets.ts'

type Found = { text: string; feature: Record<string, unknown> }

async function found(text: string): Promise<Found[]> {
  const didOf = async (handle: string) => (handle === 'bob.test' ? 'did:plc:bob' : undefined)
  const bytes = Buffer.from(text)
  return (await facetsOf(text, didOf)).map(({ index, features }) => ({
    text: bytes.toString('utf8', index.byteStart, index.byteEnd),
    feature: features[0] as unknown as Record<string, unknown>,
  }))
}

test('places are bytes, also after characters of several', async () => {
  const all = await found('Grüße 👋🏽 an @bob.test: https://example.org/a?b=1. #日本語 #one!')
  expect(all.map(({ text }) => text)).toEqual([
    '@bob.test',
    'https://example.org/a?b=1',
    '#日本語',
    '#one',
  ])
  expect(all[0]!.feature).toMatchObject({ did: 'did:plc:bob' })
  expect(all[1]!.feature).toMatchObject({ uri: 'https://example.org/a?b=1' })
  expect(all[2]!.feature).toMatchObject({ tag: '日本語' })
})

test('what only looks like a mention or a link stays text', async () => {
  expect(await found('a@bob.test @nobody.test javascript:alert(1) data:text/html,x #')).toEqual([])
})

test('a bracket at the end of a link belongs to it if it closes one of the link', async () => {
  const walrus = 'https://en.wikipedia.org/wiki/Walrus_(animal)'
  for (const text of [walrus, `(${walrus})`, `(see ${walrus}).`, `${walrus}!)`]) {
    expect([text, (await found(text)).map((one) => one.text)]).toEqual([text, [walrus]])
  }
  const plain = 'https://example.org/b'
  for (const text of [`(${plain})`, `(${plain}).`, `${plain}))`]) {
    expect([text, (await found(text)).map((one) => one.text)]).toEqual([text, [plain]])
  }
})

test('a hashtag is more than a number, an emoji or what nobody sees', async () => {
  expect(await found('#1 #2024 #️⃣ #\u200bx #_ ##')).toEqual([])
  const all = await found('#1a #2024年 ＃日本 #_x #a\u200bb #half-life')
  expect(all.map(({ feature }) => feature['tag'])).toEqual([
    '1a',
    '2024年',
    '日本',
    '_x',
    'a',
    'half-life',
  ])
})

test('length is counted in what people see, as long as its bytes fit, too', () => {
  expect(lengthOf('👩‍👩‍👧‍👦é')).toBe(2)
  expect(leftOf('ä'.repeat(300))).toBe(0)
  expect(leftOf('👩‍👩‍👧‍👦'.repeat(120))).toBe(0)
  expect(leftOf('👩‍👩‍👧‍👦'.repeat(121))).toBeLessThan(0)
})
