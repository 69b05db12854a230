// Where the server's code lies as a few large files, which scripts/bundle-server.ts makes of these sources: a start
// needs two thirds of the processor time, and every thread a few megabytes less, than with 1,800 small ones. A
// bundle is named by what it was made of, so that one of other sources is never run.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '../../..')
const SOURCES = [
  'src',
  'packages/follow-graph/src',
  'packages/jetstream/src',
  'packages/zstd-dictionary/src',
]

/** @param name - of a module in src/, without its ending. @returns the URL of its code */
export function codeOf(name: string, sources: URL): string {
  const file = join(bundleFolder(ROOT), fileInBundle(name))
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
  return join(root, '.cache/server', hash.digest('hex').slice(0, 16))
}

function filesOf(root: string): string[] {
  const found = SOURCES.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)),
  )
  return ['package-lock.json', ...found.sort()].filter((path) => existsSync(join(root, path)))
}
