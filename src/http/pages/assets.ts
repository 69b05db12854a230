// Files that the pages load: our scripts and styles, and uPlot's. Scripts are TypeScript with types stripped,
// so there is no build step: stripping and compression happen in memory at first use. The URLs contain a
// digest over all files, so browsers may cache them permanently.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

export type Asset = { type: string; body: Buffer; compressed: Buffer }

export type Assets = {
  /** URL path of a file, by name. */
  pathOf(name: string): string
  find(digest: string, name: string): Asset | undefined
}

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'
const IMAGE = 'image/svg+xml'
const DIGEST_LENGTH = 12

const scripts = [
  new URL('./assets/theme.ts', import.meta.url),
  new URL('./assets/status.ts', import.meta.url),
  new URL('./assets/explore.ts', import.meta.url),
  new URL('./assets/explore-tabs.ts', import.meta.url),
  new URL('./assets/findings.ts', import.meta.url),
  new URL('./assets/server-tab.ts', import.meta.url),
  new URL('./assets/moderation.ts', import.meta.url),
  new URL('./assets/slow.ts', import.meta.url),
  new URL('./assets/videos.ts', import.meta.url),
  new URL('./assets/charts.ts', import.meta.url),
  new URL('./assets/copy.ts', import.meta.url),
  new URL('./assets/dom.ts', import.meta.url),
  new URL('./assets/members.ts', import.meta.url),
  new URL('./assets/operator.ts', import.meta.url),
  new URL('./assets/overview.ts', import.meta.url),
  new URL('./assets/presence.ts', import.meta.url),
  new URL('./assets/proof-graph.ts', import.meta.url),
  new URL('./assets/read.ts', import.meta.url),
  new URL('./assets/read-link.ts', import.meta.url),
  new URL('./assets/read-post.ts', import.meta.url),
  new URL('./assets/read-profile.ts', import.meta.url),
]
const styles = [
  new URL('./assets/page.css', import.meta.url),
  new URL('./assets/read.css', import.meta.url),
]
const images = [
  new URL('./assets/icon.svg', import.meta.url),
  new URL('./assets/icon-away.svg', import.meta.url),
]

/** Browsers cannot resolve packages, so uPlot is served beside our own scripts. */
const UPLOT_SCRIPT = 'uplot.js'
const UPLOT_STYLE = 'uplot.css'

let loaded: Assets | undefined

/** Made once per thread, on first use; takes some milliseconds and some hundred kilobytes. */
export function loadAssets(): Assets {
  loaded ??= makeAssets()
  return loaded
}

function makeAssets(): Assets {
  const files = new Map<string, Asset>()
  for (const url of scripts) files.set(nameOf(url), compressed(SCRIPT, readScript(url)))
  for (const url of styles) files.set(nameOf(url), compressed(STYLE, readFileSync(url, 'utf8')))
  for (const url of images) files.set(nameOf(url), compressed(IMAGE, readFileSync(url, 'utf8')))
  const uplot = dirname(createRequire(import.meta.url).resolve('uplot'))
  const readUplot = (name: string) => readFileSync(join(uplot, name), 'utf8')
  files.set(UPLOT_SCRIPT, compressed(SCRIPT, readUplot('uPlot.esm.js')))
  files.set(UPLOT_STYLE, compressed(STYLE, readUplot('uPlot.min.css')))
  const digest = digestOf(files)
  return {
    pathOf: (name) => `/page/assets/${digest}/${name}`,
    find: (asked, name) => (asked === digest ? files.get(name) : undefined),
  }
}

function readScript(url: URL): string {
  const plain = withoutWarning(() => stripTypeScriptTypes(readFileSync(url, 'utf8')))
  return plain.replace("from 'uplot'", `from './${UPLOT_SCRIPT}'`)
}

/** Node warns that this function is experimental, which no operator could act on. */
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}

function compressed(type: string, text: string): Asset {
  const body = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }
  return { type, body, compressed: brotliCompressSync(body, { params }) }
}

function digestOf(files: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256')
  for (const [name, { body }] of files) hash.update(`${name} ${body.length}\n`).update(body)
  return hash.digest('hex').slice(0, DIGEST_LENGTH)
}

function nameOf(url: URL): string {
  return url.pathname.split('/').at(-1)!
}
