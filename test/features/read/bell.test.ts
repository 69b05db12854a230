// Subscribing to an account's posts in a real browser, on a profile: the server keeps it for the member's other devices.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../e2e/support/reader.ts'
import { chromiumPath } from '../../support/browser.ts'
import { type ClientWorld, startClientWorld } from '../../support/client-world.ts'

const path = chromiumPath()
if (!path) console.warn('no Chromium here: subscribing to posts is NOT tested')

describe.skipIf(!path)('a followed account’s profile', () => {
  let world: ClientWorld
  const readers: Reader[] = []

  beforeAll(async () => {
    world = await startClientWorld()
    for (const _ of ['one device', 'another']) {
      const reader = await world.open({ locale: 'en-GB', timezoneId: 'UTC' })
      await world.signIn(reader)
      readers.push(reader)
    }
  })
  afterAll(() => world?.close())

  function people(isFollowed: boolean): string[] {
    const { network } = world.simulation
    const follows = world.member.collections.get('app.bsky.graph.follow')?.values() ?? []
    const followed = new Set([...follows].map(({ value }) => value['subject']))
    return network.repositories
      .filter(({ did, state }) => did !== world.member.did && !state)
      .map(({ did }) => did)
      .filter((did) => followed.has(did) === isFollowed)
  }

  async function bellOf({ page }: Reader, did: string) {
    await page.goto(`${world.origin}/read/profile/${did}`)
    await page.locator('.profile button').first().waitFor()
    return page.locator('select.bell')
  }

  test('has a choice whose posts one is notified of, the same on each device', async () => {
    const [first, another] = readers as [Reader, Reader]
    const [friend] = people(true)
    const choice = await bellOf(first, friend!)
    expect(await choice.inputValue()).toBe('off')
    await choice.selectOption('reply')
    await first.page.getByText('Saved.').waitFor()
    const there = await bellOf(another, friend!)
    expect(await there.inputValue()).toBe('reply')
    await there.selectOption('off')
    await another.page.getByText('Saved.').waitFor()
    expect(await (await bellOf(first, friend!)).inputValue()).toBe('off')
    expect(first.troubles.concat(another.troubles)).toEqual([])
  })

  test('has none where one does not follow', async () => {
    const [stranger] = people(false)
    expect(await (await bellOf(readers[0]!, stranger!)).count()).toBe(0)
  })
})
