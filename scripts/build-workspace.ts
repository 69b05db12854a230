// Builds a package of packages/ as it is published: JavaScript and types, because Node strips no types below
// node_modules. In the repository its sources are used as they are.

import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const SOURCE = /^\.\/src\/(.+)\.ts$/

type Manifest = {
  name: string
  exports: Record<string, string>
  /** Files of Node's and their twins for browsers, as bundlers read it. */
  browser?: Record<string, string>
  dependencies?: Record<string, string>
  [field: string]: unknown
}

/** The folders of packages/, which are also the last parts of the packages' names. */
export function workspaces(): string[] {
  return readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** @param into - its folder, made anew. @returns its package.json in the repository. */
export function buildWorkspace(workspace: string, into: string): Manifest {
  const from = join(root, 'packages', workspace)
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest
  rmSync(into, { recursive: true, force: true })
  compile(from, join(into, 'dist'))
  for (const name of ['README.md', 'CHANGELOG.md']) cpSync(join(from, name), join(into, name))
  cpSync(join(root, 'LICENSE'), join(into, 'LICENSE'))
  writeFileSync(join(into, 'package.json'), `${JSON.stringify(built(manifest), undefined, 2)}\n`)
  return manifest
}

/** @param project - a folder with a tsconfig.json, or that file. */
export function compile(project: string, into: string): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', project, '--outDir', into], { stdio: 'inherit' })
}

function built(manifest: Manifest): object {
  // Private only in the repository, where nothing is to be published by accident.
  const { private: _, name, exports, browser = {}, ...others } = manifest
  const builtPath = (source: string, ending: string) => {
    const [, stem] = SOURCE.exec(source) ?? []
    if (stem === undefined) throw new Error(`${name} names ${source}, no source file`)
    return `./dist/${stem}${ending}`
  }
  const entries = Object.entries(exports).map(([path, source]) => [
    path,
    { types: builtPath(source, '.d.ts'), default: builtPath(source, '.js') },
  ])
  const twins = Object.entries(browser).map((pair) => pair.map((value) => builtPath(value, '.js')))
  return {
    name,
    ...others,
    exports: Object.fromEntries(entries),
    ...(twins.length > 0 && { browser: Object.fromEntries(twins) }),
    files: ['dist', 'CHANGELOG.md'],
  }
}
