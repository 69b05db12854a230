// A name in the address begins signing in only where nobody else can have chosen it: otherwise any site could
// send people on to a server of its choice under our name.

import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { readRoutes } from '../../../src/features/read/routes.ts'

async function mayStart(hostname: string, site?: string): Promise<boolean> {
  const app = readRoutes(loadConfig({ SLIPSTREAM_HOSTNAME: hostname }, '/nowhere'))
  const headers: Record<string, string> = site === undefined ? {} : { 'sec-fetch-site': site }
  return (await (await app.request('/read?name=alice.example.org', { headers })).text()).includes(
    'data-may-start',
  )
}

test.each(['cross-site', 'same-site', 'none', undefined])('not from “%s”', async (site) => {
  expect(await mayStart('appview.example.org', site)).toBe(false)
})

test('from a page of this server, and on localhost', async () => {
  expect(await mayStart('appview.example.org', 'same-origin')).toBe(true)
  expect(await mayStart('localhost:3000', 'none')).toBe(true)
})
