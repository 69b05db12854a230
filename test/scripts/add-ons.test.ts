// What is installed brings its binaries with it, and none is tied to one version of Node: all are add-ons of
// Node-API, whose interface stays. One that was built against V8 would have to be built anew for each.

import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const folders = ['.', 'test/e2e'].filter((folder) => existsSync(join(root, folder, 'node_modules')))
/** Of the two ways to be registered with Node-API, and of what V8's own classes are called in a binary. */
const NODE_API = /napi_(module_register|register_module_v)/
const TIED = /_ZN2v8|\bnode_module_register\b/

describe.each(folders)('%s', (folder) => {
  const binaries = globSync('node_modules/**/*.node', { cwd: join(root, folder) })

  test('brings the binaries that it needs', () => {
    expect(binaries.filter((path) => path.includes('better-sqlite3/'))).not.toEqual([])
  })

  test.each(binaries)('%s is for any Node', (path) => {
    const content = readFileSync(join(root, folder, path), 'latin1')
    expect(NODE_API.test(content)).toBe(true)
    expect(TIED.test(content)).toBe(false)
  })
})
