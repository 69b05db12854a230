// Makes the bundle of the server and its command line that src/base/util/bundle.ts describes, unless it is there, and
// prints nothing: node scripts/bundle-server.ts [ROOT]
//
// Packages with binaries or files of their own stay outside, and so do all files that are read, not imported: a module
// still finds them from where its source is. rolldown is optional: without it, the sources are run as they are.

import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import { dirname, join, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import {
  bundleFolder,
  fileInBundle,
  folderByStates,
  rememberStates,
} from '../src/base/util/bundle.ts'

const OUTSIDE =
  /^(node:(?!http$)|\.\.\/web\/fetch\/body\.js$|better-sqlite3|sharp|secp256k1|@bokuweb\/zstd-wasm|@napi-rs\/|cassandra-driver|bufferutil|utf-8-validate)/
/** How modules name those that are started, not imported: threads, processes, and what src/main.ts chooses. */
export const STARTED = /new URL\('(\.\/(?!assets\/)[\w/-]+)\.ts', import\.meta\.url\)/g
/** How base/feature.ts finds the features, of which the core names none. */
const FEATURES = 'import(list.href)'
/** Stands for the bundle's own place while the sources' places are put in. */
const OF_BUNDLE = 'import.meta.bundle'
const OF_HTTP = '\0http'
/** A server that still runs loads modules late from the bundle that it was started from. */
const OTHERS_RETAINED = 2

async function bundleServer(root: string): Promise<void> {
  if (folderByStates(root)) return
  const remember = rememberStates(root)
  const folder = bundleFolder(root)
  if (existsSync(folder)) return remember(folder)
  const rolldown = await import('rolldown').catch(() => undefined)
  if (!rolldown) return
  const unfinished = `${folder}.${process.pid}`
  const input = Object.fromEntries(
    modules(root).map((name) => [fileInBundle(name).slice(0, -3), join(root, 'src', `${name}.ts`)]),
  )
  const build = await rolldown.rolldown({
    input,
    cwd: root,
    platform: 'node',
    // Not all of a tree's settings are where its bundle is made.
    tsconfig: false,
    external: OUTSIDE,
    plugins: [ofSources(root, unfinished), httpWithoutFetch],
    logLevel: 'silent',
  })
  mkdirSync(unfinished, { recursive: true })
  await build.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    comments: false,
    // Names and lines stay, for stack traces. One letter beyond Latin-1 would double a file's size in memory.
    minify: {
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: false, asciiOnly: true },
    },
  })
  await build.close()
  writeFileSync(join(unfinished, 'package.json'), '{ "type": "module" }\n')
  moveInto(folder, unfinished)
  remember(folder)
  dropOthers(folder)
}

/** Names of modules in src/, without their ending. */
function modules(root: string): string[] {
  const src = join(root, 'src')
  const started = globSync('**/*.ts', { cwd: src }).flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(STARTED)].map(([, path]) =>
      join(dirname(file), path!),
    ),
  )
  return [...new Set(started)]
}

/** Where a module says where it is, the bundle says where its source is, as seen from the bundle. */
function ofSources(root: string, bundle: string): Plugin {
  return {
    name: 'of-sources',
    transform(code, id) {
      const name = relative(join(root, 'src'), id)
      const linked = name === 'base/feature.ts' ? linkFeatures(root, code) : code
      const turned = linked
        .replaceAll(STARTED, (_, path: string) => {
          const started = fileInBundle(join(dirname(name), path))
          return `new URL('./${started}', ${OF_BUNDLE})`
        })
        .replaceAll(/import\.meta\.(url|dirname|filename)/g, (_, field: string) =>
          locationOf(relative(bundle, id), field),
        )
        .replaceAll(OF_BUNDLE, 'import.meta.url')
      return turned === code ? undefined : turned
    },
  }
}

/**
 * An import of node:http makes Node load its own fetch and WebSocket with it, which a server has no need of: a tenth of a
 * second in each thread (docs/notes/2026-11-30-the-suites-processor-time.md).
 */
const httpWithoutFetch: Plugin = {
  name: 'http-without-fetch',
  resolveId: (id, _, { kind }) =>
    /^(node:)?http$/.test(id) && kind === 'import-statement' ? OF_HTTP : undefined,
  load: (id) => (id === OF_HTTP ? linkHttp() : undefined),
}

function linkHttp(): string {
  const names = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([, property]) => 'value' in property)
    .map(([name]) => name)
  return `const http = process.getBuiltinModule('node:http')
export default http
export const { ${names.join(', ')} } = http`
}

function linkFeatures(root: string, code: string): string {
  if (!existsSync(join(root, 'src/features/features.ts'))) return code
  if (!code.includes(FEATURES)) throw new Error(`base/feature.ts does not say ${FEATURES}`)
  return code.replace(FEATURES, `import('../features/features.ts')`)
}

function locationOf(path: string, field: string): string {
  const url = `new URL(${JSON.stringify(path)}, import.meta.url)`
  if (field === 'url') return `${url}.href`
  const file = `process.getBuiltinModule('node:url').fileURLToPath(${url})`
  if (field === 'filename') return file
  return `process.getBuiltinModule('node:path').dirname(${file})`
}

/** Another that made the same meanwhile was first. */
function moveInto(folder: string, unfinished: string): void {
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

function dropOthers(folder: string): void {
  const others = readdirSync(dirname(folder))
    .map((name) => join(dirname(folder), name))
    .filter((path) => path !== folder)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of others.slice(OTHERS_RETAINED)) rmSync(path, { recursive: true })
}

if (import.meta.main)
  await bundleServer(resolve(process.argv[2] ?? join(import.meta.dirname, '..')))
