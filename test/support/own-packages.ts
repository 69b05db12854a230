// The packages of packages/ as npm would install them: built, packed and unpacked below a folder's node_modules, with
// what they need.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildWorkspace } from '../../scripts/build-workspace.ts'
import { fencesOf, root } from './documentation.ts'

type Manifest = { name: string; version: string; dependencies?: Record<string, string> }

export function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest
}

/** @param base - where archives are made */
export function installPackage(name: string, { modules, base }: { modules: string; base: string }) {
  const { name: fullName, dependencies = {} } = manifestOf(name)
  const built = join(base, 'built', name)
  buildWorkspace(name, built)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', base], { cwd: built })
  const folder = join(modules, fullName)
  mkdirSync(folder, { recursive: true })
  const archive = readdirSync(base).find((entry) => entry.includes(name) && entry.endsWith('.tgz'))!
  execFileSync('tar', ['xzf', join(base, archive), '-C', folder, '--strip-components=1'])
  for (const needed of [...Object.keys(dependencies), '@types/node', 'undici-types'])
    if (needed.startsWith('@slipstream/')) installPackage(needed.split('/')[1]!, { modules, base })
    else link(needed, modules)
}

function link(name: string, modules: string): void {
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  rmSync(join(modules, name), { force: true })
  symlinkSync(join(root, 'node_modules', name), join(modules, name))
}

/** The first fenced block of a package's page in a language. */
export function fenceOf(name: string, language: string): string {
  const path = `packages/${name}/README.md`
  const fences = fencesOf({ path, text: readFileSync(join(root, path), 'utf8') })
  return fences.find((fence) => fence.language === language)!.text
}
