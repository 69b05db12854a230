// The weight of the client: what a browser loads before it shows a timeline. Also whether the bundled libraries
// are what their packages make.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundled, libraries } from '../../../scripts/bundle-libraries.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import { readRoutes } from '../../../src/features/read/routes.ts'
import { signInRoutes } from '../../../src/features/sign-in/routes.ts'

const MOST_BYTES = 120 * 1024
const config = loadConfig({ SLIPSTREAM_HOSTNAME: 'appview.example.org' }, '/nowhere')
const app = readRoutes(config).route('/', signInRoutes(config))

const load = (path: string) => app.request(path, { headers: { 'accept-encoding': 'br' } })

test('the first page weighs less than 120 KB of script and style', async () => {
  const page = await (await load('/read')).text()
  const paths = [...page.matchAll(/(?:href|src)="(\/(?:read|oauth)\/assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  )
  const sizes = await Promise.all(
    [...new Set(paths)]
      .filter((path) => !path.endsWith('.svg'))
      .map(async (path) => {
        const answer = await load(path)
        expect([path, answer.status, answer.headers.get('content-encoding')]).toEqual([
          path,
          200,
          'br',
        ])
        return (await answer.arrayBuffer()).byteLength
      }),
  )
  const sum = sizes.reduce((all, size) => all + size, 0)
  console.log(
    `the client: ${sizes.length} files, ${sum.toLocaleString('en')} bytes of script and style`,
  )
  expect(sum).toBeLessThan(MOST_BYTES)
  expect(sizes.length).toBeGreaterThan(10)
})

test('every script that another one imports is served', async () => {
  const page = await (await load('/read')).text()
  const seen = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    if (seen.has(path)) return
    seen.add(path)
    const answer = await app.request(path)
    expect([path, answer.status]).toEqual([path, 200])
    const text = await answer.text()
    if (/\/(hls|moderation|oauth-client)\.js$/.test(path)) return
    for (const [, to] of text.matchAll(/(?:from |import\()'([^']+)'/g)) {
      await visit(new URL(to!, `https://host${path}`).pathname)
    }
  }
  await visit(/src="(\/read\/assets\/[^"]+)"/.exec(page)![1]!)
  expect(seen.size).toBeGreaterThan(20)
})

test.each(libraries)('$file is what its packages make', async (library) => {
  const file = join(import.meta.dirname, '../../../src/features', library.file)
  expect(readFileSync(file, 'utf8') === (await bundled(library))).toBe(true)
})

test('the page itself runs nothing inline, and its worker names the files of this build', async () => {
  const answer = await load('/read/profile/alice.example.org')
  expect(answer.headers.get('content-security-policy')).toContain(
    "require-trusted-types-for 'script'",
  )
  expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  const worker = await (await load('/read/worker.js')).text()
  expect(worker).toMatch(/"\/read\/assets\/\w+\/app\.ts"/)
})
