// What a viewer's memory holds for one visit: a page that is presented in parts is one visit.

import { expect, test } from 'vitest'
import { type KnownRelation, ViewerMemories } from '../../../src/answers/cache/viewer-memory.ts'
import { atOnce, CallTime, inParts } from '../../../src/base/util/turn.ts'

const VIEWER = 7
const SUBJECT = 8
const relation = { text: '' } as KnownRelation

function start() {
  const viewers = new ViewerMemories(1_000_000)
  /** @returns whether the relation had to be read */
  const visit = () => {
    const memory = viewers.visit(VIEWER)
    const isUnknown = !memory.relations.has(SUBJECT)
    if (isUnknown) memory.holdRelation(SUBJECT, relation)
    viewers.leave(memory)
    return isUnknown
  }
  const reads: boolean[] = []
  const parts = () =>
    inParts(Array.from({ length: 20 }), (some) => {
      reads.push(visit())
      return some
    })
  return { visit, reads, parts }
}

test('what is held for a visit is read once for all parts of a page, and again for the next', () => {
  const { visit, reads, parts } = start()
  const page = () => new CallTime({ turnMs: 20, clock: () => 0 }).run(() => atOnce(parts()))
  page()
  const [first, ...further] = reads.splice(0)
  expect([first, new Set(further)]).toEqual([true, new Set([false])])
  expect(visit()).toBe(true)
  page()
  expect([reads[0], new Set(reads.slice(1))]).toEqual([true, new Set([false])])
})

test('another call between two parts of a page ends the visit', () => {
  const { visit, reads, parts } = start()
  let nowMs = 0
  const createCall = () => new CallTime({ turnMs: 20, clock: () => (nowMs += 30) })
  const [call, work] = [createCall(), parts()]
  while (!call.run(() => work.next()).done) expect(createCall().run(visit)).toBe(true)
  expect(reads.length).toBeGreaterThan(1)
  expect(reads).not.toContain(false)
})
