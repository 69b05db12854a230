// scripts/package: builds dist/, the JavaScript of src/, because Node strips no types below
// node_modules. tsc writes it, including imports; this script rewrites the addresses of threads and
// processes. Browser code stays TypeScript, which the server strips itself, and all other files are copied.
// Folders are as deep as in src/.

import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const from = join(root, 'src')
const to = join(root, 'dist')
const OF_BROWSERS = 'http/pages/assets'
const ADDRESS = /new URL\('(\.\/(?!assets\/)[\w/-]+)\.ts', import\.meta\.url\)/g

rmSync(to, { recursive: true, force: true })
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'tsconfig.package.json')], {
  stdio: 'inherit',
})
for (const file of globSync('**/*.js', { cwd: to })) turnAddresses(join(to, file))
for (const file of globSync('**/*.{json,sql,css,svg}', { cwd: from })) copy(file)
for (const file of globSync(`${OF_BROWSERS}/*.ts`, { cwd: from })) copy(file)

function turnAddresses(file: string): void {
  const text = readFileSync(file, 'utf8')
  const turned = text.replaceAll(ADDRESS, "new URL('$1.js', import.meta.url)")
  if (turned !== text) writeFileSync(file, turned)
}

function copy(file: string): void {
  cpSync(join(from, file), join(to, file))
}
