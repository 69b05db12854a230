// The package secp256k1 has a JavaScript fallback, `elliptic`, which audits warn about. It is never loaded,
// whether the native code is available or not.

import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const LOOK = `
import { createRequire } from 'node:module'
import Module from 'node:module'
if (process.argv[1] === 'without') {
  const load = Module._load
  Module._load = (name, ...rest) => {
    if (name === 'node-gyp-build') throw new Error('no machine code here')
    return load(name, ...rest)
  }
}
const { verifySecp256k1 } = await import('${root}/src/sources/identity/native-secp256k1.ts')
await import('${root}/src/sources/identity/service-jwt.ts')
const loaded = Object.keys(createRequire('${root}/package.json').cache)
console.log(JSON.stringify({
  isNative: verifySecp256k1 !== undefined,
  elliptic: loaded.filter((path) => path.includes('elliptic')).length,
}))`

function look(how: string): unknown {
  const args = ['--input-type=module', '-e', LOOK, how]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  return JSON.parse(stdout || `"${stderr}"`)
}

test('loads elliptic neither with native code nor without', () => {
  // Not every machine has the native code.
  expect(look('with')).toMatchObject({ elliptic: 0 })
  expect(look('without')).toMatchObject({ isNative: false, elliptic: 0 })
})
