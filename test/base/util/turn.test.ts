// Turns of a call: what its time is, when a reader should end early, and that work which can't end early
// hands the thread to others. The clock is the test's own, so nothing here depends on the machine.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  CallTime,
  forThisCall,
  inLaterTurn,
  inParts,
  inTurns,
  isTimeUp,
} from '../../../src/base/util/turn.ts'

let nowMs = 0
beforeEach(() => {
  nowMs = 0
})

function createCall(options: Partial<ConstructorParameters<typeof CallTime>[0]> = {}) {
  const used: number[] = []
  const onUsed = (usedMs: number) => used.push(usedMs)
  return { used, call: new CallTime({ turnMs: 10, clock: () => nowMs, onUsed, ...options }) }
}

const work = (ms: number) => {
  nowMs += ms
}

test('outside of a call, time is never up', () => {
  work(1_000)
  expect(isTimeUp()).toBe(false)
})

test('time is up once a turn has taken its milliseconds, and again not in the next turn', () => {
  const { call } = createCall()
  const seen: boolean[] = []
  const turn = () => {
    for (let i = 0; i < 3; i++) {
      seen.push(isTimeUp())
      work(5)
    }
    seen.push(isTimeUp())
  }
  call.run(turn)
  call.run(turn)
  expect(seen).toEqual([false, false, true, true, false, false, true, true])
  expect(isTimeUp()).toBe(false)
})

test('a part of a call runs within its turn, and otherwise when its caller has one', () => {
  const waiting: (() => void)[] = []
  const goOn = <T>(work: () => T | Promise<T>) =>
    new Promise<T>((resolve) => waiting.push(() => resolve(work())))
  const { call, used } = createCall({ goOn })
  expect(call.run(() => call.part(() => 'at once'))).toBe('at once')
  let isDone = false
  void call.part(() => {
    work(3)
    isDone = true
  })
  expect([isDone, waiting.length]).toEqual([false, 1])
  waiting[0]!()
  expect([isDone, used]).toEqual([true, [0, 3]])
})

test('a turn within a turn is part of it, and time is told once, also of a turn that throws', () => {
  const { call, used } = createCall()
  call.run(() => {
    work(3)
    call.run(() => work(4))
  })
  expect(() =>
    call.run(() => {
      work(2)
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(used).toEqual([7, 9])
})

test('what goes on after waiting is a turn of the same call', async () => {
  const item = createCall()
  const other = createCall()
  const { promise, resolve } = Promise.withResolvers<number>()
  const later = item.call.run(() => promise.then(inLaterTurn((ms) => work(ms))))
  const look = item.call.run(() => forThisCall(() => work(1)))
  other.call.run(() => work(2))
  resolve(8)
  await later
  look()
  expect(item.used).toEqual([0, 0, 8, 9])
  expect(other.used).toEqual([2])
})

describe('work in turns', () => {
  function* steps(count: number, turns: number[]): Generator<void, string> {
    for (let i = 0; i < count; i++) {
      turns.push(nowMs)
      work(4)
      yield
    }
    return 'done'
  }

  test('is synchronous as long as its time is not up, and without a call', () => {
    const { call } = createCall()
    expect(call.run(() => inTurns(steps(2, [])))).toBe('done')
    expect(inTurns(steps(100, []))).toBe('done')
  })

  test('hands the thread to others when its time is up, and ends complete', async () => {
    const others: number[] = []
    let isOver = false
    const watch = async () => {
      while (!isOver) {
        others.push(nowMs)
        await nextTurn()
      }
    }
    const watching = watch()
    const { call, used } = createCall()
    const turns: number[] = []
    expect(await call.run(() => inTurns(steps(8, turns)))).toBe('done')
    isOver = true
    await watching
    expect(turns).toEqual([0, 4, 8, 12, 16, 20, 24, 28])
    expect(used).toEqual([12, 24, 32])
    expect(others).toEqual(expect.arrayContaining([12, 24]))
  })

  test('waits for its caller’s turn', async () => {
    const waiting: (() => void)[] = []
    const goOn = <T>(part: () => T | Promise<T>) =>
      new Promise<T>((resolve) => void waiting.push(() => resolve(part())))
    const { call } = createCall({ goOn })
    const result = call.run(() => inTurns(steps(4, [])))
    await expect.poll(() => waiting.length).toBe(1)
    expect(nowMs).toBe(12)
    waiting.pop()!()
    expect(await result).toBe('done')
  })
})

function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

test('by default, the clock is the thread’s processor time, which waiting does not take', async () => {
  const call = new CallTime({ turnMs: 5 })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(call.run(isTimeUp)).toBe(false)
  const isUp = call.run(() => {
    const began = processorMs()
    while (processorMs() - began < 6);
    return isTimeUp()
  })
  expect(isUp).toBe(true)
  expect(call.usedMs).toBeGreaterThanOrEqual(6)
})

describe('work on a list', () => {
  const items = Array.from({ length: 100 }, (_, i) => i)

  /** @returns how many items each part had */
  async function partsOf(msOf: (item: number) => number) {
    const { call } = createCall({ turnMs: 20 })
    const sizes: number[] = []
    const doubled = await call.run(() =>
      inTurns(
        inParts(items, (some) => {
          sizes.push(some.length)
          for (const item of some) work(msOf(item))
          return some.map((item) => item * 2)
        }),
      ),
    )
    expect(doubled).toEqual(items.map((item) => item * 2))
    return sizes
  }

  test('is done in few parts if an item takes next to nothing', async () => {
    expect(await partsOf(() => 0.01)).toEqual([1, 24, 24, 24, 24, 3])
  })

  test('is done in parts that fit into a turn, by what the items before took', async () => {
    expect(await partsOf(() => 1)).toEqual([1, 19, 20, 20, 20, 20])
    expect(await partsOf(() => 50)).toEqual([1, 2, ...Array.from({ length: 97 }, () => 1)])
  })

  test('has no part so long that items of another kind could take much longer than a turn', async () => {
    const sizes = await partsOf((item) => (item < 10 ? 0 : 3))
    expect(Math.max(...sizes)).toBe(24)
  })

  test('is done in growing parts if they take the same however few items they have', async () => {
    const { call } = createCall({ turnMs: 20 })
    const sizes: number[] = []
    const part = (some: readonly number[]) => {
      sizes.push(some.length)
      work(25)
      return some
    }
    expect(await call.run(() => inTurns(inParts(items, part)))).toEqual(items)
    expect(sizes.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 24])
    expect(sizes.length).toBeLessThan(10)
  })

  test('ends where turns have no end', () => {
    const time = new CallTime({ turnMs: Number.POSITIVE_INFINITY })
    const items = Array.from({ length: 100 }, (_, i) => i)
    expect(time.run(() => inTurns(inParts(items, (some) => some)))).toEqual(items)
  })

  test('is done at once outside of calls', () => {
    const sizes: number[] = []
    const note = (some: readonly number[]) => {
      sizes.push(some.length)
      return some
    }
    expect(inParts(items, note).next()).toEqual({ done: true, value: items })
    expect(sizes).toEqual([100])
  })
})
