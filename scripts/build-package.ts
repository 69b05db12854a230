// scripts/package: builds Slipstream's npm package, or a package of packages/ that is named, in a folder whose
// path it prints. tsc writes JavaScript, including imports; this script rewrites the addresses of threads and
// processes. Browser code stays TypeScript, which the server strips itself, and all other files are copied.
// Folders are as deep as in src/. The packages of packages/ are bundled, because none is on npm yet.

import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWorkspace, compile, workspaces } from './build-workspace.ts'
import { STARTED } from './bundle-server.ts'

const root = join(import.meta.dirname, '..')
const from = join(root, 'src')
const OF_BROWSERS = 'features/*/assets'

type Manifest = {
  files: string[]
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  [field: string]: unknown
}

function buildSlipstream(into: string): void {
  rmSync(into, { recursive: true, force: true })
  buildSources(join(into, 'dist'))
  const { workspaces: _, ...manifest } = JSON.parse(read('package.json')) as Manifest
  const others = manifest.files.filter((name) => name !== 'dist')
  for (const name of ['README.md', 'LICENSE', ...others])
    cpSync(join(root, name), join(into, name), { recursive: true })
  const bundled = workspaces().map((name) =>
    buildWorkspace(name, join(into, 'node_modules/@slipstream', name)),
  )
  // npm fetches nothing for a bundled package: what it needs is needed by Slipstream.
  const needed = bundled.map(({ dependencies }) => dependencies)
  const dependencies = Object.assign({}, manifest.dependencies, ...needed) as object
  const bundleDependencies = bundled.map(({ name }) => name)
  const { rolldown: _bundler, ...optionalDependencies } = manifest.optionalDependencies
  const content = JSON.stringify(
    { ...manifest, dependencies, optionalDependencies, bundleDependencies },
    undefined,
    2,
  )
  writeFileSync(join(into, 'package.json'), `${content}\n`)
}

function buildSources(to: string): void {
  compile(join(root, 'tsconfig.package.json'), to)
  for (const file of globSync('**/*.js', { cwd: to })) turnAddresses(join(to, file))
  for (const file of globSync('**/*.{json,sql,css,svg}', { cwd: from })) copy(file, to)
  for (const file of globSync(`${OF_BROWSERS}/**/*.{ts,js}`, { cwd: from })) copy(file, to)
}

function turnAddresses(file: string): void {
  const text = readFileSync(file, 'utf8')
  const turned = text.replaceAll(STARTED, "new URL('$1.js', import.meta.url)")
  if (turned !== text) writeFileSync(file, turned)
}

function copy(file: string, to: string): void {
  cpSync(join(from, file), join(to, file))
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

const name = process.argv[2] ?? 'slipstream'
const folder = join(root, '.cache/package', name)
if (name === 'slipstream') buildSlipstream(folder)
else if (workspaces().includes(name)) buildWorkspace(name, folder)
else throw new Error(`${name} is no package: slipstream, ${workspaces().join(', ')}`)
console.log(folder)
