// Records that try to run a script in the client, in a real browser: by names, handles, biographies, texts, alt text,
// titles and addresses of links, mentions, hashtags, pictures and lists. None runs, and the page's policy is not even tried.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { blobCid } from '../../support/blob-host.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'
import { eventually } from '../../support/eventually.ts'
import { PIXEL } from '../../support/pixel.ts'
import type { SimulatedAccount } from '../../support/simulated-network/repository.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: scripts are NOT tested (apt-get install chromium)')

const RUN = 'window.hasRun=1'
const CORPUS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `"><svg onload=${RUN}>`,
  `'><iframe srcdoc="<script>parent.hasRun=1</script>">`,
  `<a href="javascript:${RUN}">x</a>`,
  `<math><mi xlink:href="javascript:${RUN}">x</mi></math>`,
  `</title></style></textarea><script>${RUN}</script>`,
  `<template shadowrootmode=open><script>${RUN}</script></template>`,
  `<details open ontoggle=${RUN}>`,
  `<style>@import "javascript:${RUN}"</style>`,
  `<base href="//evil.example/">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `\${${RUN}} {{${RUN}}} <%= ${RUN} %>`,
  `<!--><script>${RUN}</script>-->`,
  `\u202e<script>${RUN}</script>`,
  `\u0000<scr\u0000ipt>${RUN}</script>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
]
const ADDRESSES = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  ` javascript:${RUN}`,
  `java\tscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  `blob:https://evil.example/x`,
  `https://evil.example/"onmouseover="${RUN}`,
  `//evil.example/x`,
]
/** As a DID document may name them: unlike handles, which no lexicon lets through. */
const HANDLES = [
  `"><img src=x onerror=${RUN}>.example`,
  `<script>${RUN}</script>.example`,
  `javascript:${RUN}`,
  `x.example"onmouseover="${RUN}`,
]

describe.skipIf(!path)('scripts in records', () => {
  let world: ClientWorld
  let reader: Reader
  let evil: SimulatedAccount

  beforeAll(async () => {
    world = await startClientWorld({
      settings: { IMAGES: 'own' },
      blobs: new Map([[blobCid(PIXEL), PIXEL]]),
      prepare({ network }, member) {
        const [follow] = member.collections.get('app.bsky.graph.follow')!.values()
        evil = network.repositories.find(({ did }) => did === follow!.value['subject'])!
        writeAll(evil, member)
        const others = [...member.collections.get('app.bsky.graph.follow')!.values()].slice(1)
        HANDLES.forEach((handle, i) => {
          const did = others[i % others.length]!.value['subject']
          network.repositories.find((repository) => repository.did === did)!.rename(handle)
        })
      },
    })
    reader = await world.open()
    await world.signIn(reader)
  })
  afterAll(() => world?.close())

  test.each(['timeline', 'profile', 'search', 'list', 'visitors'] as const)('%s', async (where) => {
    const { page, troubles } = reader
    const [[rkey] = ['']] = world.member.collections.get('app.bsky.graph.list') ?? []
    const list = `at://${world.member.did}/app.bsky.graph.list/${rkey}`
    const address = {
      timeline: '/read',
      profile: `/read/profile/${evil.did}`,
      search: '/read/search?q=hasRun',
      list: '/read/lists',
      visitors: `/profile/${evil.did}`,
    }[where]
    const elsewhere: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('evil.example')) elsewhere.push(request.url())
    })
    await eventually(async () => {
      await page.goto(world.origin + address)
      await page.getByText('hasRun').first().waitFor({ timeout: 20_000 })
    })
    if (where === 'timeline') {
      for (let i = 0; i < 6; i++) {
        await page.mouse.wheel(0, 3_000)
        await page.waitForLoadState('networkidle')
      }
      expect(await page.locator('.post', { hasText: 'hasRun' }).count()).toBeGreaterThan(
        CORPUS.length,
      )
    }
    if (where === 'profile') {
      // Its facet goes on one byte behind the text.
      await page.locator('.post a', { hasText: /^#walrus$/ }).waitFor()
    }
    if (where === 'list') {
      await page.goto(`${world.origin}/read/list?uri=${encodeURIComponent(list)}`)
      await page.locator('#main[aria-busy=false]').waitFor()
    }
    for (const link of await page.locator('main a:not([href^="http"]):not([href^="/"])').all()) {
      expect(await link.getAttribute('href')).toMatch(/^#/)
    }
    expect(await page.evaluate('window.hasRun')).toBeUndefined()
    expect(await page.evaluate(foreign)).toEqual([])
    expect(elsewhere).toEqual([])
    expect(troubles).toEqual([])
  })
})

/** Elements and attributes that the client itself never makes. */
const foreign = `[...document.querySelectorAll('main *')].flatMap((one) => [
  ...(['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'BASE', 'META', 'STYLE', 'svg', 'math', 'TEMPLATE']
    .includes(one.tagName) ? [one.tagName] : []),
  ...[...one.attributes].filter(({ name }) => /^on|srcdoc|^style$/.test(name)).map(({ name }) => name),
  ...[one.href, one.src, one.action].filter((to) => /^(javascript|data|vbscript):/i.test(String(to ?? ''))),
])`

function writeAll(evil: SimulatedAccount, member: SimulatedAccount): void {
  let atMs = Date.now() - 600_000
  const put = (value: Record<string, unknown>) => {
    atMs += 1_000
    const createdAt = new Date(atMs).toISOString()
    evil.put({ collection: 'app.bsky.feed.post', value: { createdAt, ...value }, atMs })
  }
  evil.put({
    collection: 'app.bsky.actor.profile',
    rkey: 'self',
    value: { displayName: CORPUS[1]!.slice(0, 60), description: CORPUS.join(' ').slice(0, 250) },
    atMs,
  })
  for (const text of CORPUS) {
    const image = {
      $type: 'blob',
      ref: { $link: blobCid(PIXEL) },
      mimeType: 'image/png',
      size: PIXEL.length,
    }
    put({ text, embed: { $type: 'app.bsky.embed.images', images: [{ image, alt: text }] } })
    const external = { uri: 'https://example.org/', title: text, description: text }
    put({ text: `a card ${RUN}`, embed: { $type: 'app.bsky.embed.external', external } })
    put({ text: `#${text}`, tags: [text], langs: [text], facets: [facetOf('tag', { tag: text })] })
  }
  for (const uri of ADDRESSES) {
    put({ text: `see here ${RUN}`, facets: [facetOf('link', { uri })] })
    put({
      text: `a card ${RUN}`,
      embed: { $type: 'app.bsky.embed.external', external: { uri, title: uri, description: uri } },
    })
    put({ text: `@somebody ${RUN}`, facets: [facetOf('mention', { did: uri })] })
  }
  put({ text: '#walrus', facets: [facetOf('tag', { tag: 'walrus' })] })
  const list = { name: CORPUS[1]!.slice(0, 60), purpose: 'app.bsky.graph.defs#curatelist' }
  const createdAt = new Date().toISOString()
  const description = CORPUS.join(' ').slice(0, 250)
  member.put({
    collection: 'app.bsky.graph.list',
    value: { ...list, description, createdAt },
    atMs,
  })
}

function facetOf(kind: 'tag' | 'link' | 'mention', fields: Record<string, string>) {
  return {
    index: { byteStart: 0, byteEnd: 8 },
    features: [{ $type: `app.bsky.richtext.facet#${kind}`, ...fields }],
  }
}
