// Writes the libraries that the pages of src/features/ load in the browser, each as one minified file beside
// our own scripts, which need no build. Run after an upgrade of one of them: npm run bundle
//
// Of @atproto/api's client, nine tenths of it, only the tests of types remain that its moderation uses.

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'

export type Library = {
  /** Below src/features/. */
  file: string
  /** The packages it is made from, for the notice at its head. */
  packages: string[]
  entry: string
}

const FEATURES = join(import.meta.dirname, '../src/features')
const require = createRequire(import.meta.url)

export const libraries: readonly Library[] = [
  {
    file: 'sign-in/assets/oauth-client.js',
    packages: ['@atproto/oauth-client-browser'],
    entry: `export { BrowserOAuthClient } from '@atproto/oauth-client-browser'`,
  },
  {
    file: 'read/assets/people/moderation.js',
    packages: ['@atproto/api'],
    entry: `
      export { moderatePost, moderateProfile } from ${JSON.stringify(moderationOf('index.js'))}
      export { interpretLabelValueDefinition } from ${JSON.stringify(moderationOf('util.js'))}
    `,
  },
  {
    file: 'read/assets/posts/hls.js',
    packages: ['hls.js'],
    entry: `export { default } from 'hls.js'`,
  },
]

/** The same bytes for the same versions of the packages. */
export async function bundled({ entry, packages }: Library): Promise<string> {
  const build = await rolldown({
    input: ENTRY,
    plugins: [entryOf(entry), withoutLexicons, onlySymbols],
    platform: 'browser',
  })
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    codeSplitting: false,
  })
  await build.close()
  return `${noticeOf(packages)}\n${output[0].code}`
}

function moderationOf(name: string): string {
  return join(dirname(require.resolve('@atproto/api')), 'moderation', name)
}

const ENTRY = 'virtual:entry'

function entryOf(code: string): Plugin {
  return {
    name: 'entry',
    resolveId: (id) => (id === ENTRY ? join(import.meta.dirname, 'entry.js') : undefined),
    load: (id) => (id === join(import.meta.dirname, 'entry.js') ? code : undefined),
  }
}

const NO_LEXICONS = `export function validate() { throw new Error('no lexicons here') }`

const TYPES = {
  AppBskyEmbedExternal: 'app/bsky/embed/external',
  AppBskyEmbedGallery: 'app/bsky/embed/gallery',
  AppBskyEmbedImages: 'app/bsky/embed/images',
  AppBskyEmbedRecord: 'app/bsky/embed/record',
  AppBskyEmbedRecordWithMedia: 'app/bsky/embed/recordWithMedia',
  AppBskyFeedPost: 'app/bsky/feed/post',
  AppBskyRichtextFacet: 'app/bsky/richtext/facet',
  ComAtprotoLabelDefs: 'com/atproto/label/defs',
}

const types = Object.entries(TYPES).map(
  ([name, path]) => `export * as ${name} from './types/${path}.js'`,
)

const withoutLexicons: Plugin = {
  name: 'without-lexicons',
  load(id) {
    if (/@atproto[\\/]api[\\/]dist[\\/]client[\\/]lexicons\.js$/.test(id)) return NO_LEXICONS
    if (/@atproto[\\/]api[\\/]dist[\\/]client[\\/]index\.js$/.test(id)) return types.join('\n')
    return undefined
  },
}

/** All that is needed of core-js: two symbols, where a browser has none. */
const onlySymbols: Plugin = {
  name: 'only-symbols',
  load(id) {
    const name = /core-js[\\/]es[\\/]symbol[\\/]([a-z-]+)\.js$/.exec(id)?.[1]
    if (name === undefined) return undefined
    const key = name === 'dispose' ? 'dispose' : 'asyncDispose'
    return `Symbol.${key} ?? Object.defineProperty(Symbol, '${key}', { value: Symbol('Symbol.${key}') })`
  },
}

function noticeOf(packages: readonly string[]): string {
  const lines = packages.map((name) => {
    const manifest = join(FEATURES, '../../node_modules', name, 'package.json')
    const { version, license } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<
      string,
      string
    >
    return ` * ${name} ${version} and what it depends on (${license}), by scripts/bundle-libraries.ts`
  })
  return ['/*', ...lines, ' */'].join('\n')
}

if (import.meta.main) {
  for (const library of libraries) {
    const code = await bundled(library)
    writeFileSync(join(FEATURES, library.file), code)
    console.log(`${library.file}: ${code.length.toLocaleString('en')} bytes`)
  }
}
