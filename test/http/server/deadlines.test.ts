// One clock for all running handlers: each gets its own outcome, and none exceeds its time.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDeadlines } from '../../../src/http/server/deadlines.ts'

const never = () => new Promise<never>(() => undefined)

test('a handler that ends in time keeps its outcome, good or bad', async () => {
  const { inTime } = createDeadlines(10_000)
  expect(await inTime(Promise.resolve('good'))).toBe('good')
  await expect(inTime(Promise.reject(new Error('bad')))).rejects.toThrow('bad')
})

test('a handler that does not end is given up, and only that one', async () => {
  const { inTime } = createDeadlines(60)
  const outcomes: string[] = []
  const watch = (name: string, work: Promise<unknown>) =>
    inTime(work).then(
      () => outcomes.push(`${name} done`),
      (error) => outcomes.push(`${name}: ${error.status}`),
    )
  const first = watch('first', never())
  const quick = watch('quick', Promise.resolve())
  await sleep(30)
  const second = watch('second', never())
  await Promise.all([first, quick, second])
  expect(outcomes).toEqual(['quick done', 'first: 503', 'second: 503'])
})

test('the clock starts again for handlers after a pause', async () => {
  const { inTime } = createDeadlines(20)
  for (let round = 0; round < 3; round++) {
    await expect(inTime(never())).rejects.toMatchObject({ status: 503 })
    await sleep(10)
  }
})

test('an outcome that arrives too late changes nothing', async () => {
  const { inTime } = createDeadlines(20)
  const { promise, reject } = Promise.withResolvers<string>()
  const outcome = inTime(promise)
  await expect(outcome).rejects.toMatchObject({ status: 503 })
  reject(new Error('late'))
  await sleep(5)
  await expect(outcome).rejects.toMatchObject({ status: 503 })
})
