// Timelines named by handle and by the address of a page: the key is the one with the DID.

import { afterEach, expect, test } from 'vitest'
import { readKey } from '../../../../src/features/timelines/http/read-key.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const LIST = 'app.bsky.graph.list/3kabcdefghi2a'

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start() {
  world = createServingWorld({ members: ['alice'], handles: { 'bob.example.org': bob } })
  world.profile(alice, { displayName: 'alice' })
  world.handle(alice, 'alice.example.org')
  return world
}

test.each([
  [`following:${alice}`, `following:${alice}`],
  ['author:@Alice.example.org', `author:${alice}`],
  ['following:https://bsky.app/profile/bob.example.org', `following:${bob}`],
  [`list:at://Alice.example.org/${LIST}`, `list:at://${alice}/${LIST}`],
  ['list:https://bsky.app/profile/bob.example.org/lists/3kabcdefghi2a', `list:at://${bob}/${LIST}`],
  [
    `custom:news+author:alice.example.org+author:${bob}`,
    `custom:news+author:${alice}+author:${bob}`,
  ],
  // Left for the key's own parser to refuse.
  [
    'list:https://bsky.app/profile/bob.example.org',
    'list:https://bsky.app/profile/bob.example.org',
  ],
  ['custom:alice.example.org/x', 'custom:alice.example.org/x'],
  ['what:alice.example.org', 'what:alice.example.org'],
  ['author:alice', 'author:alice'],
])('%s', async (written, key) => {
  expect(await readKey(start().app, written, { who: undefined })).toBe(key)
})

test('a handle that leads to no account is refused', async () => {
  const { app } = start()
  await expect(
    Promise.resolve(readKey(app, 'author:nobody.example.org', { who: undefined })),
  ).rejects.toMatchObject({
    status: 400,
    error: 'ActorNotFound',
  })
})

test('one is looked up only if it is not stored here', async () => {
  const { app, looked } = start()
  await readKey(app, `author:alice.example.org+author:bob.example.org`, { who: undefined })
  expect(looked).toEqual(['bob.example.org'])
})
