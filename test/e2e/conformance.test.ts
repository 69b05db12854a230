// Conformance of every registered method, over a network of its own: PLC, PDS and Slipstream as
// processes, seeded once (conformance/seed.ts). With the Jetstream double alone, since what reaches the
// index by which wire is real-network.test.ts's matter.

import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { conformanceChapter } from './conformance/chapter.ts'
import { startWorld, type World } from './support/world.ts'

const LOGGED = 5

describe('conformance', () => {
  let world: World

  beforeAll(async () => {
    const started = await startWorld('double', async () => undefined)
    world = started.world
  })

  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return
    const trouble = world?.slipstream
      .log()
      .split('\n')
      .filter((line) => /"level":[56]0/.test(line))
    if (trouble?.length) console.error(`Slipstream’s errors:\n${trouble.slice(-LOGGED).join('\n')}`)
  })

  afterAll(() => world?.stop())

  conformanceChapter(() => world)
})
