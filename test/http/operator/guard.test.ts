// Access to the operator's routes over HTTP.

import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { requireOperator } from '../../../src/http/operator/guard.ts'

const TOKEN = '0123456789abcdef'

async function statusFor(operatorToken: string | undefined, authorization?: string) {
  const app = new Hono()
  app.use('*', requireOperator({ operatorToken }))
  app.get('/', (c) => c.text('in'))
  const response = await app.request('/', { headers: authorization ? { authorization } : {} })
  return response.status
}

it('admits only requests with the token', async () => {
  expect(await statusFor(TOKEN, `Bearer ${TOKEN}`)).toBe(200)
  expect(await statusFor(TOKEN, `bearer ${TOKEN}`)).toBe(200)
  const wrong = [undefined, TOKEN, `Basic ${TOKEN}`, 'Bearer', 'Bearer ', `Bearer ${TOKEN}0`]
  for (const value of [...wrong, `Bearer ${TOKEN.slice(0, -1)}`, `Bearer ${TOKEN} ${TOKEN}`]) {
    expect(await statusFor(TOKEN, value)).toBe(401)
  }
})

it('serves no requests if no token is set', async () => {
  for (const value of [undefined, 'Bearer undefined', 'Bearer ', `Bearer ${TOKEN}`]) {
    expect(await statusFor(undefined, value)).toBe(404)
  }
})
