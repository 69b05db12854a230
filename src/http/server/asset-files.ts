// Files that pages load, served from memory: TypeScript with types stripped, so there is no build step, and
// everything else as it is. The first page that names them reads them. A file is made when it is first asked for,
// in a turn of its own, and compressed on another thread: all at once would hold this one for 0.1 s or more. The URLs
// contain a digest over what all files are made from, so browsers may cache them permanently.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { type Context, Hono } from 'hono'
import { forThisCall } from '../../base/util/turn.ts'

type Asset = { type: string; body: Buffer; compressed: Buffer }

export type Assets = {
  /** URL path of a file, by name. */
  pathOf(name: string): string
  find(digest: string, name: string): Promise<Asset> | undefined
}

type AssetFiles = {
  /** URL path below which they are served. */
  path: string
  /** Files by the name that they are served under; imports between them name each other so. */
  files: ReadonlyMap<string, URL | string>
  /** What imports of scripts begin with, and what takes its place in the browser. */
  imports?: Readonly<Record<string, string>>
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
}
const FOREVER = 'public, max-age=31536000, immutable'
const DIGEST_LENGTH = 12

const compress = promisify(brotliCompress)

/** @returns a function that reads them on its first call: some milliseconds, some hundred kilobytes */
export function assetsOf(files: () => AssetFiles): () => Assets {
  let made: Assets | undefined
  return () => {
    made ??= createAssets(files())
    return made
  }
}

function createAssets({ path, files, imports = {} }: AssetFiles): Assets {
  const sources = new Map([...files].map(([name, file]) => [name, readFileSync(file)]))
  const digest = digestOf(sources, imports)
  const made = new Map<string, Promise<Asset>>()

  function find(name: string): Promise<Asset> | undefined {
    const source = sources.get(name)
    if (!source) return undefined
    const asset = made.get(name) ?? makeAsset(name, source, imports)
    made.set(name, asset)
    return asset
  }

  return {
    pathOf: (name) => `${path}/${digest}/${name}`,
    find: (requested, name) => (requested === digest ? find(name) : undefined),
  }
}

async function makeAsset(
  name: string,
  source: Buffer,
  imports: NonNullable<AssetFiles['imports']>,
): Promise<Asset> {
  const isScript = extname(name) === '.ts'
  const body = isScript ? await scriptOf(source.toString(), imports) : source
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return { type, body, compressed: await compress(body, { params }) }
}

async function scriptOf(
  source: string,
  imports: NonNullable<AssetFiles['imports']>,
): Promise<Buffer> {
  // The first time, Node loads what strips types, which is as long as a turn should be.
  isReady ??= inOwnTurn(() => stripped(''))
  await isReady
  return Buffer.from(await inOwnTurn(() => plainOf(source, imports)))
}

let isReady: Promise<string> | undefined
let last: Promise<unknown> = Promise.resolve()

/** One after another: a browser asks for all scripts of a page at once. */
function inOwnTurn(work: () => string): Promise<string> {
  const turn = last.then(() => nextTurn()).then(forThisCall(work))
  last = turn.catch(() => {})
  return turn
}

function plainOf(source: string, imports: NonNullable<AssetFiles['imports']>): string {
  let plain = stripped(source)
  for (const [from, to] of Object.entries(imports)) {
    plain = plain
      .replaceAll(`from '${from}`, `from '${to}`)
      .replaceAll(`import('${from}`, `import('${to}`)
  }
  return plain
}

function stripped(source: string): string {
  return withoutWarning(() => stripTypeScriptTypes(source))
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

/** Of the sources and all else that the files are made with. */
function digestOf(sources: ReadonlyMap<string, Buffer>, imports: object): string {
  const hash = createHash('sha256').update(`${process.version} ${JSON.stringify(imports)}\n`)
  for (const [name, source] of sources) hash.update(`${name} ${source.length}\n`).update(source)
  return hash.digest('hex').slice(0, DIGEST_LENGTH)
}

/** Serves them at `/:digest/:name` of its path; a name may have slashes. */
export function assetRoutes(assets: () => Assets): Hono {
  const app = new Hono()
  app.get('/:digest/:name{.+}', async (c) => {
    const asset = await assets().find(c.req.param('digest'), c.req.param('name'))
    if (asset) return sendAsset(c, asset)
    return c.json({ error: 'NotFound', message: 'There is nothing at this address' }, 404)
  })
  return app
}

function sendAsset(c: Context, { type, body, compressed }: Asset) {
  const isCompressed = /\bbr\b/.test(c.req.header('accept-encoding') ?? '')
  return c.body(new Uint8Array(isCompressed ? compressed : body), 200, {
    'content-type': type,
    'cache-control': FOREVER,
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(isCompressed && { 'content-encoding': 'br' }),
  })
}
