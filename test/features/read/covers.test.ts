// Posts whose authors label them, in a real browser: what is hidden, what is covered, and in which words.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { blobCid } from '../../support/blob-host.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { PIXEL } from '../../support/pixel.ts'
import type { SimulatedAccount } from '../../support/simulated-network/repository.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: covers are NOT tested (apt-get install chromium)')

const LABELS = ['nudity', 'graphic-media', 'porn']

describe.skipIf(!path)('posts with labels', () => {
  let world: ClientWorld
  let reader: Reader
  const addresses = new Map<string, string>()

  beforeAll(async () => {
    world = await startClientWorld({
      settings: { IMAGES: 'own' },
      blobs: new Map([[blobCid(PIXEL), PIXEL]]),
      prepare({ network }, member) {
        const [follow] = member.collections.get('app.bsky.graph.follow')!.values()
        const author = network.repositories.find(({ did }) => did === follow!.value['subject'])!
        for (const label of LABELS) addresses.set(label, postWith(author, label))
      },
    })
    reader = await world.open()
    await world.signIn(reader)
  })
  afterAll(() => world?.close())

  const picture = '.post img[alt^="labelled"]'

  test('nudity is shown, and what is for adults is left out of the timeline', async () => {
    const { page } = reader
    await page.locator('.feed .post', { hasText: 'labelled nudity' }).locator('img').waitFor()
    for (const label of ['graphic-media', 'porn'])
      expect(await page.locator('.feed .post', { hasText: `labelled ${label}` }).count()).toBe(0)
  })

  test.each([
    ['en', 'Hidden: labelled “Graphic media”', 'Hidden: labelled “Adult content”'],
    ['de', 'Verborgen: als „Verstörende Bilder“', 'Verborgen: als „Nicht jugendfrei“'],
    ['ja', '「刺激の強い画像」', '「成人向け」'],
  ])('in %s, a cover says why, and the picture can’t be seen', async (language, ...words) => {
    const { page } = reader
    await page.evaluate(`localStorage.setItem('slipstream-language', '${language}')`)
    for (const [i, label] of ['graphic-media', 'porn'].entries()) {
      await page.goto(`${world.origin}/read${addresses.get(label)}`)
      await page.locator('.cover', { hasText: words[i]! }).waitFor()
      expect(await page.locator(picture).isVisible()).toBe(false)
    }
  })
})

/** @returns where it is in the client */
function postWith(author: SimulatedAccount, label: string): string {
  const image = {
    $type: 'blob',
    ref: { $link: blobCid(PIXEL) },
    mimeType: 'image/png',
    size: PIXEL.length,
  }
  const text = `labelled ${label}`
  const atMs = Date.now() - 60_000
  const { rkey } = author.put({
    collection: 'app.bsky.feed.post',
    atMs,
    value: {
      text,
      createdAt: new Date(atMs).toISOString(),
      embed: { $type: 'app.bsky.embed.images', images: [{ image, alt: text }] },
      labels: { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: label }] },
    },
  })
  return `/profile/${author.did}/post/${rkey}`
}
