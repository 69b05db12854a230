// A page for visitors is made of answers that its own visitor pays for and waits for, not nobody.

import type { IncomingMessage } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { visitorRoutes } from '../../../src/features/visitors/routes.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

const alice = didOf('alice')
const POINTS = 20
const config = {
  hostname: 'appview.example.org',
  publicOrigin: 'https://appview.example.org',
  imageUrlPattern: 'https://cdn.example.org/{preset}/{did}/{cid}',
  videoThumbnailUrlPattern: 'https://video.example.org/{did}/{cid}',
}

let w: ServingWorld
afterEach(() => w?.dispose())

function start() {
  w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    limits: { visitorRateLimit: POINTS, trustedProxies: ['127.0.0.0/8'] },
  })
  w.profile(alice, { displayName: 'Alice' })
  w.post(alice, 'a post')
  const routes = visitorRoutes(config, async (request, by) => w.server.fetch(request, by))
  return async (address: string, forwarded?: string) => {
    const incoming = { socket: { remoteAddress: address } } as IncomingMessage
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    const answer = await routes.request(`/profile/${alice}`, { headers }, { incoming })
    return answer.status
  }
}

async function askUntilRefused(ask: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < POINTS && statuses.at(-1) !== 429) statuses.push(await ask())
  return statuses
}

test('whoever asks for pages is refused in the end, and no one else', async () => {
  const get = start()
  const statuses = await askUntilRefused(() => get('203.0.113.1'))
  expect(statuses[0]).toBe(200)
  expect(statuses.at(-1)).toBe(429)
  expect(await get('203.0.113.2')).toBe(200)
})

test('behind our proxy, the visitor it names pays', async () => {
  const get = start()
  const statuses = await askUntilRefused(() => get('127.0.0.1', '203.0.113.1'))
  expect(statuses.at(-1)).toBe(429)
  expect(await get('127.0.0.1', '203.0.113.2')).toBe(200)
})
