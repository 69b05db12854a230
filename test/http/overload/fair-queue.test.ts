// The order of requests under overload: tests assert only which requests run first and which are refused, not
// times. The handlers of a scene state how long they take, so a busy machine does not matter.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { FairQueue, type Queued, type Who } from '../../../src/http/overload/fair-queue.ts'

const member = (key: string): Who => ({ rank: 'member', key })
const visitor = (key: string): Who => ({ rank: 'visitor', key })
const frontend: Queued = { rank: 'frontend', key: 'frontend' }

function createScene() {
  let clockMs = 0
  const queue = new FairQueue(() => clockMs)
  const order: string[] = []
  const refused: { name: string; status: number; retryAfter: number }[] = []
  const pending: Promise<unknown>[] = []

  async function ask(
    who: Queued,
    { ms = 1, isHeavy = false, until, isGone = () => false }: RequestOptions = {},
  ): Promise<void> {
    const run = () => {
      order.push(who.key)
      clockMs += ms
      return until
    }
    try {
      await queue.run(who, { run, isHeavy, isGone })
    } catch (error) {
      if (!(error instanceof XRPCError)) throw error
      const retryAfter = Number(error.headers?.['retry-after'])
      refused.push({ name: who.key, status: error.status, retryAfter })
    }
  }

  const flood = (who: Queued, count: number, requested?: RequestOptions) => {
    for (let i = 0; i < count; i++) pending.push(ask(who, requested))
  }
  const pass = (ms: number) => {
    clockMs += ms
  }
  return { queue, order, refused, pending, ask, flood, pass, settled: () => Promise.all(pending) }
}

type RequestOptions = {
  ms?: number
  isHeavy?: boolean
  until?: Promise<void>
  isGone?: () => boolean
}

test('a few requests run at once, in order of arrival', async () => {
  const { order, ask } = createScene()
  for (const key of ['a', 'b', 'a']) {
    void ask(member(key), { ms: 0 })
    expect(order.at(-1)).toBe(key)
    await nextTurn()
  }
  expect(order).toEqual(['a', 'b', 'a'])
})

test('a member’s first request does not wait behind another’s two hundred', async () => {
  const { order, flood, ask, settled, refused } = createScene()
  flood(member('greedy'), 200)
  await ask(member('other'))
  const before = order.indexOf('other')
  await settled()
  // One turn before it arrived, and at most one that was running, instead of all earlier ones.
  expect(before).toBeLessThan(40)
  expect(order.filter((key) => key === 'greedy').length + refused.length).toBe(200)
})

test('many callers take turns', async () => {
  const { order, flood, settled } = createScene()
  for (const key of ['a', 'b', 'c']) flood(member(key), 60)
  await settled()
  const later = order.slice(20, 140)
  for (let i = 0; i + 6 <= later.length; i += 6) {
    expect(new Set(later.slice(i, i + 6)).size).toBeGreaterThan(1)
  }
})

test('members go before visitors that came first, and light before heavy', async () => {
  const { order, flood, settled } = createScene()
  flood(visitor('first'), 20)
  flood(visitor('visitor'), 30)
  flood(member('member'), 30)
  await settled()
  expect(order.lastIndexOf('member')).toBeLessThan(order.indexOf('visitor'))

  const second = createScene()
  second.flood(member('first'), 20)
  const request = Array.from({ length: 10 }, (_, i) =>
    second.ask(member('x'), { isHeavy: i < 5 }).then(() => i),
  )
  const done: number[] = []
  for (const item of request) item.then((i) => done.push(i))
  await Promise.all([...request, second.settled()])
  expect(done).toEqual([5, 6, 7, 8, 9, 0, 1, 2, 3, 4])
})

describe('shedding', () => {
  test('a caller’s lane is bounded, and says when to retry; others are still accepted', async () => {
    const { refused, flood, ask, order, settled } = createScene()
    flood(member('greedy'), 1_000, { ms: 0.2 })
    await ask(member('other'), { ms: 0.2 })
    await settled()
    const greedy = refused.filter(({ name }) => name === 'greedy')
    expect(greedy.length).toBeGreaterThan(500)
    expect(greedy.every(({ retryAfter }) => retryAfter >= 1)).toBe(true)
    expect(refused.length).toBe(greedy.length)
    expect(order.length).toBe(1_001 - greedy.length)
  })

  test('requests that would wait too long are refused on arrival: strangers and heavy work first', async () => {
    const { refused, flood, settled } = createScene()
    // Teaches the queue how long the handler takes.
    flood(member('teacher'), 60, { ms: 5 })
    await settled()
    for (let i = 0; i < 130; i++) flood(member(`m${i}`), 1, { ms: 5 })
    expect(refused).toEqual([])
    flood(visitor('v'), 1)
    expect(refused).toMatchObject([{ name: 'v', status: 503 }])
    for (let i = 0; i < 400; i++) flood(member(`n${i}`), 1, { ms: 5, isHeavy: i % 2 === 0 })
    await settled()
    const members = refused.filter(({ name }) => name.startsWith('n'))
    const heavy = members.filter(({ name }) => Number(name.slice(1)) % 2 === 0)
    expect(members.every(({ status }) => status === 503)).toBe(true)
    expect(heavy.length).toBeGreaterThan(members.length - heavy.length)
  })

  test('abandoned requests are not run', async () => {
    const { order, flood, settled } = createScene()
    flood(member('first'), 30)
    flood(member('gone'), 20, { isGone: () => true })
    flood(member('here'), 5)
    await settled()
    expect(order.filter((key) => key === 'here').length).toBe(5)
    expect(order).not.toContain('gone')
  })
})

describe('handlers that wait for other servers', () => {
  test('are limited per caller, delay no other caller, and free their slots when they end', async () => {
    const { order, refused, flood, ask, settled } = createScene()
    const held = Promise.withResolvers<void>()
    flood(member('greedy'), 100, { ms: 0, until: held.promise })
    await nextTurn()
    const running = order.length
    expect(running).toBeLessThan(50)
    await ask(member('other'), { ms: 0 })
    expect(order.length).toBe(running + 1)
    held.resolve()
    await settled()
    expect(order.length).toBe(101)
    expect(refused).toEqual([])
  })

  test('of all visitors together leave room for members', async () => {
    const { order, flood, ask, settled } = createScene()
    const held = Promise.withResolvers<void>()
    for (let i = 0; i < 400; i++) flood(visitor(`v${i}`), 1, { ms: 0, until: held.promise })
    for (let i = 0; i < 5; i++) await nextTurn()
    const running = order.length
    expect(running).toBeLessThan(400)
    await ask(member('m'), { ms: 0 })
    expect(order.at(-1)).toBe('m')
    held.resolve()
    await settled()
  })

  test('free their slots on failure, too', async () => {
    const { order, flood, settled } = createScene()
    const broken = Promise.reject(new XRPCError(500, 'X', 'x'))
    broken.catch(() => undefined)
    flood(member('a'), 100, { ms: 0, until: broken })
    await settled()
    expect(order.length).toBe(100)
  })
})

describe('callers whose calls take long', () => {
  test('wait behind the others of their rank, whose pages they do not delay by more than one call', async () => {
    const { order, flood, settled } = createScene()
    flood(member('slow'), 16, { ms: 40 })
    for (let i = 0; i < 20; i++) flood(member(`quick ${i}`), 1)
    await settled()
    const last = Math.max(...order.flatMap((key, i) => (key.startsWith('quick') ? i : [])))
    expect(order.slice(0, last + 1).filter((key) => key === 'slow').length).toBeLessThan(3)
    expect(order.length).toBe(36)
  })

  test('have their turn once the others have had theirs, and are as good as anyone later', async () => {
    const { order, flood, settled, ask, pass } = createScene()
    await ask(member('slow'), { ms: 100 })
    flood(member('other'), 20)
    flood(member('slow'), 1)
    flood(member('another'), 20)
    await settled()
    expect(order.lastIndexOf('slow')).toBe(order.length - 1)
    pass(1_000)
    flood(member('other'), 20)
    flood(member('slow'), 1)
    await settled()
    expect(order.slice(42).indexOf('slow')).toBeLessThan(10)
  })

  test('programs come after members and before visitors', async () => {
    const { order, flood, settled } = createScene()
    flood(visitor('first'), 20)
    flood(visitor('visitor'), 10)
    flood({ rank: 'program', key: 'program' }, 10)
    flood(member('member'), 10)
    await settled()
    const ends = ['member', 'program', 'visitor'].map((key) => order.lastIndexOf(key))
    expect(ends).toEqual(ends.toSorted((a, b) => a - b))
  })
})

describe('later parts of calls', () => {
  test('go on at once on a free thread, else before their caller’s new calls', async () => {
    const { queue, order, flood, settled, pending } = createScene()
    const part = (name: string) => () => void order.push(name)
    queue.goOn(member('a'), part('at once'))
    expect(order).toEqual(['at once'])
    flood(member('a'), 20)
    pending.push(Promise.resolve(queue.goOn(member('a'), part('later'))))
    await settled()
    expect(order.indexOf('later')).toBeLessThan(8)
  })

  test('go on where no further call may begin, so that running calls can end', async () => {
    const { queue, flood, settled, pending, order } = createScene()
    const { promise, resolve } = Promise.withResolvers<void>()
    for (let i = 0; i < 300; i++) flood(visitor(`v${i % 20}`), 1, { ms: 0, until: promise })
    await nextTurn()
    flood(visitor('busy'), 1, { ms: 10 })
    const going = Promise.resolve(queue.goOn(visitor('v1'), () => void order.push('later')))
    await going
    expect(order).toContain('later')
    resolve()
    pending.push(going)
    await settled()
  })

  test('throw to whoever waits for them', async () => {
    const { queue, flood, settled } = createScene()
    flood(member('a'), 20)
    const failing = Promise.resolve(
      queue.goOn(member('a'), () => {
        throw new Error('broken')
      }),
    )
    await expect(failing).rejects.toThrow('broken')
    await settled()
  })
})

test('a frontend’s thousands of calls all run, in turns with a member’s, before a visitor', async () => {
  const { order, refused, flood, settled } = createScene()
  flood(visitor('visitor'), 20)
  flood(frontend, 5_000, { ms: 0.1 })
  flood(member('member'), 20, { ms: 0.1 })
  await settled()
  expect(refused.filter(({ name }) => name === 'frontend')).toEqual([])
  expect(order.filter((name) => name === 'frontend')).toHaveLength(5_000)
  const afterFirstTurn = order.slice(order.indexOf('member')).slice(0, 40)
  expect(afterFirstTurn.filter((name) => name === 'member')).toHaveLength(20)
  expect(order.indexOf('member')).toBeLessThan(order.indexOf('visitor', 10))
})

test('after a long call, sockets are read before the next one begins', async () => {
  const { order, ask } = createScene()
  await new Promise<void>((resolve) => {
    setTimeout(() => {
      void ask(member('one'), { ms: 40 })
      void ask(member('other'), { ms: 40 })
      setImmediate(() => order.push('sockets'))
      resolve()
    }, 0)
  })
  await expect.poll(() => order).toHaveLength(3)
  expect(order).toEqual(['one', 'sockets', 'other'])
})

test('after a long turn of calls that waited, one that goes on waits for the sockets, too', async () => {
  const { queue, order, ask, pass } = createScene()
  void ask(member('one'), { ms: 40 })
  const goOn = () => {
    setImmediate(() => order.push('sockets'))
    void queue.goOn(member('other'), () => order.push('goes on'))
  }
  const run = () => {
    order.push('two')
    pass(40)
    void Promise.resolve().then(goOn)
  }
  void queue.run(member('two'), { run, isHeavy: false, isGone: () => false })
  await expect.poll(() => order).toHaveLength(4)
  expect(order).toEqual(['one', 'two', 'sockets', 'goes on'])
})
