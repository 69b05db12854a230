// Files that pages load, served from memory: TypeScript with types stripped, so there is no build step, and
// everything else as it is. Both happen at first use, as does compression. The URLs contain a digest over all
// files, so browsers may cache them permanently.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { type Context, Hono } from 'hono'

type Asset = { type: string; body: Buffer; compressed: Buffer }

export type Assets = {
  /** URL path of a file, by name. */
  pathOf(name: string): string
  find(digest: string, name: string): Asset | undefined
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

/** @returns a function that makes them on its first call: some milliseconds, some hundred kilobytes */
export function assetsOf(files: () => AssetFiles): () => Assets {
  let made: Assets | undefined
  return () => {
    made ??= createAssets(files())
    return made
  }
}

function createAssets({ path, files, imports = {} }: AssetFiles): Assets {
  const assets = new Map<string, Asset>()
  for (const [name, file] of files)
    assets.set(name, compressed(name, readAsset(name, file, imports)))
  const digest = digestOf(assets)
  return {
    pathOf: (name) => `${path}/${digest}/${name}`,
    find: (asked, name) => (asked === digest ? assets.get(name) : undefined),
  }
}

function readAsset(
  name: string,
  file: URL | string,
  imports: NonNullable<AssetFiles['imports']>,
): string {
  const text = readFileSync(file, 'utf8')
  if (extname(name) !== '.ts') return text
  let plain = withoutWarning(() => stripTypeScriptTypes(text))
  for (const [from, to] of Object.entries(imports)) {
    plain = plain
      .replaceAll(`from '${from}`, `from '${to}`)
      .replaceAll(`import('${from}`, `import('${to}`)
  }
  return plain
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

function compressed(name: string, text: string): Asset {
  const body = Buffer.from(text)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  return { type, body, compressed: brotliCompressSync(body, { params }) }
}

function digestOf(files: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256')
  for (const [name, { body }] of files) hash.update(`${name} ${body.length}\n`).update(body)
  return hash.digest('hex').slice(0, DIGEST_LENGTH)
}

/** Serves them at `/:digest/:name` of its path. */
export function assetRoutes(assets: () => Assets): Hono {
  const app = new Hono()
  app.get('/:digest/:name', (c) => {
    const asset = assets().find(c.req.param('digest'), c.req.param('name'))
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
