// The doctor's suggested commands fit the way this Slipstream was installed: in folders laid out as by the
// install script, the image and a checkout, a package is missing, and each report says how to restore it.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linkPackages } from '../../support/linked-packages.ts'

const project = resolve(import.meta.dirname, '../../..')
type Report = {
  areas: { area: string; findings: { level: string; text: string; fix?: string }[] }[]
}

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'slipstream-cures-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function doctorIn(folder: string, parts: string[]): Report {
  const root = join(base, folder)
  for (const part of ['package.json', 'lexicons', 'packages', 'src', ...parts])
    cpSync(join(project, part), join(root, part), { recursive: true })
  linkPackages(join(root, 'node_modules'), ['sharp'])
  const args = ['src/tools/cli/main.ts', 'doctor', '--json', '--only', 'software,server']
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { SLIPSTREAM_IMAGES: 'own', SLIPSTREAM_DATA_DIR: join(base, 'data') },
  })
  return JSON.parse(stdout) as Report
}

function fixesOf({ areas }: Report): (string | undefined)[] {
  const findings = areas.flatMap((item) => item.findings)
  const of = (pattern: RegExp) => findings.find(({ text }) => pattern.test(text))?.fix
  return [of(/sharp does not load/), of(/is not running/)]
}

test('a release of the install script', () => {
  mkdirSync(join(base, 'opt'))
  symlinkSync('releases/0.1.0', join(base, 'opt/current'))
  expect(fixesOf(doctorIn('opt/releases/0.1.0', ['scripts']))).toEqual([
    expect.stringContaining('`sudo deploy/install.sh --reinstall`'),
    expect.stringContaining('`sudo systemctl start slipstream`'),
  ])
})

test('the image', () => {
  expect(fixesOf(doctorIn('app', []))).toEqual([
    expect.stringMatching(/docker compose .* build --no-cache slipstream/),
    expect.stringMatching(/docker compose .* up -d/),
  ])
})

test('a checkout', () => {
  expect(fixesOf(doctorIn('slipstream', ['scripts']))).toEqual([
    expect.stringContaining('`rm -rf node_modules && scripts/slipstream doctor`'),
    expect.stringContaining('`scripts/start`'),
  ])
})
