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
  dependencies?: Record<string, string>
  [field: string]: unknown
}

/** The folders of packages/, which are also the last parts of the packages' names. */
export function workspaces(): string[] {
  return readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** @param into - its folder, made anew. @returns its package.json in the repository. */
export function buildWorkspace(workspace: string, into: string): Manifest {
  const from = join(root, 'packages', workspace)
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Manifest
  rmSync(into, { recursive: true, force: true })
  compile(from, join(into, 'dist'))
  cpSync(join(from, 'README.md'), join(into, 'README.md'))
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
  const entries = Object.entries(manifest.exports).map(([path, source]) => {
    const [, stem] = SOURCE.exec(source) ?? []
    if (stem === undefined) throw new Error(`${manifest.name} exports ${source}, no source file`)
    return [path, { types: `./dist/${stem}.d.ts`, default: `./dist/${stem}.js` }]
  })
  return { ...manifest, exports: Object.fromEntries(entries), files: ['dist'] }
}
