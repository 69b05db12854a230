// Installed packages bring their own binaries, and none is tied to one version of Node: all are Node-API
// add-ons, whose interface is stable. An add-on built against V8 would need a rebuild for each version.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folders = ['.', 'test/e2e'].filter((folder) => existsSync(join(root, folder, 'node_modules')))
/** The two ways to register with Node-API; TIED matches the mangled names of V8's own classes. */
const NODE_API = /napi_(module_register|register_module_v)/
const TIED = /_ZN2v8|\bnode_module_register\b/

describe.each(folders)('%s', (folder) => {
  const binaries = globSync('node_modules/**/*.node', { cwd: join(root, folder) })

  test('brings the binaries that it needs', () => {
    expect(binaries.filter((path) => path.includes('better-sqlite3/'))).not.toEqual([])
  })

  test.each(binaries)('%s runs on any Node', (path) => {
    const content = readFileSync(join(root, folder, path), 'latin1')
    expect(NODE_API.test(content)).toBe(true)
    expect(TIED.test(content)).toBe(false)
  })
})
