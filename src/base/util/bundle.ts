// Where the server's code lies as a few large files, which scripts/bundle-server.ts makes of these sources: a start
// needs two thirds of the processor time, and every thread a few megabytes less, than with 1,800 small ones. A
// bundle is named by what it was made of, so that one of other sources is never run.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = [
  'src',
  'packages/follow-graph/src',
  'packages/jetstream/src',
  'packages/zstd-dictionary/src',
]

/** In a bundle's folder: a hash of its sources' states when it was made, or was last found to be of them. */
const STATES = 'states'
/** A file that changed so shortly before may change once more without a later time. */
const SAME_TIME_MS = 2_000

/** @param name - of a module in src/, without its ending. @returns the URL of its code */
export function codeOf(name: string, sources: URL): string {
  const folder = folderByStates(ROOT) ?? bundleFolder(ROOT)
  const file = join(folder, fileInBundle(name))
  return existsSync(file) ? pathToFileURL(file).href : sources.href
}

/** All are in one folder, so that each is as far from the sources' other files as all others. */
export function fileInBundle(name: string): string {
  return `${name.replaceAll('/', '.')}.js`
}

/** The folder for a bundle of the sources as they are now, whether it is there or not. */
export function bundleFolder(root: string): string {
  const hash = createHash('sha256')
  for (const path of filesOf(root)) {
    const content = readFileSync(join(root, path))
    hash.update(`${path} ${content.length}\n`).update(content)
  }
  return join(bundlesOf(root), hash.digest('hex').slice(0, 16))
}

/** Spares later starts the sources' content: call it before the bundle of `root` is looked for or made. */
export function rememberStates(root: string): (folder: string) => void {
  const { hash, changedAt } = statesOf(root)
  const isSettled = changedAt < Date.now() - SAME_TIME_MS
  return (folder) => {
    try {
      if (isSettled) writeFileSync(join(folder, STATES), hash)
    } catch {
      // Another's folder, or one that can't be written: starts read the content.
    }
  }
}

/** @returns undefined unless all files are as they were: reading them takes twice as long */
export function folderByStates(root: string): string | undefined {
  const folder = bundlesOf(root)
  if (!existsSync(folder)) return undefined
  const known = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), states: textOf(join(folder, name, STATES)) }))
    .filter(({ states }) => states !== undefined)
  if (known.length === 0) return undefined
  const { hash } = statesOf(root)
  return known.find(({ states }) => states === hash)?.path
}

/** Any write gives a file another `ctime`, which nothing sets back; copies have their own. */
function statesOf(root: string): { hash: string; changedAt: number } {
  const hash = createHash('sha256')
  let changedAt = 0
  for (const path of filesOf(root)) {
    const { size, ino, mtimeMs, ctimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${ino} ${mtimeMs} ${ctimeMs}\n`)
    changedAt = Math.max(changedAt, ctimeMs)
  }
  return { hash: hash.digest('hex'), changedAt }
}

function bundlesOf(root: string): string {
  return join(root, '.cache/server')
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function filesOf(root: string): string[] {
  const found = SOURCES.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
  )
  return ['package-lock.json', ...found.sort()].filter((path) => existsSync(join(root, path)))
}
