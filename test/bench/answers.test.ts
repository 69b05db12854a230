// How `bench/compare/answers.ts` tells two answers apart, and what it takes for one cause.

import { describe, expect, test } from 'vitest'
import type { Answer } from '../../bench/compare/answers/ask.ts'
import { groupByCause, reasonFor } from '../../bench/compare/answers/causes.ts'
import { compareAnswers } from '../../bench/compare/answers/differences.ts'
import { inAnyOrder } from '../../bench/compare/answers/other-requests.ts'

const METHOD = 'app.bsky.feed.getTimeline'

function answer(body: unknown, given: Partial<Answer> = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status: 200, type: 'application/json', headers: {}, text, ...given }
}

function differencesOf(before: unknown, now: unknown) {
  const verdict = compareAnswers(answer(before), answer(now))
  return verdict.same ? [] : verdict.differences
}

describe('two answers', () => {
  test('are the same by bytes, but for cursors, or but for the order of names', () => {
    const same = (a: unknown, b: unknown) => compareAnswers(answer(a), answer(b)).same
    expect(same({ a: 1 }, { a: 1 })).toBe('bytes')
    expect(same({ cursor: 'x', a: 1 }, { cursor: 'y', a: 1 })).toBe('cursors')
    expect(same({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe('json')
    expect(same({ a: 1 }, { a: 2 })).toBe(undefined)
  })

  test('differ where only one has a cursor', () => {
    expect(differencesOf({ cursor: 'x' }, {})).toEqual([
      { path: 'cursor', kind: 'only before', before: 'x', now: '' },
    ])
  })

  test('differ in status, content type and headers', () => {
    const other = { status: 400, type: 'text/plain', headers: { allow: 'GET' } }
    const verdict = compareAnswers(answer({}), answer({}, other))
    expect(verdict).toMatchObject({
      differences: [{ path: '(status)' }, { path: '(content-type)' }, { path: '(allow)' }],
    })
  })

  test('an item that one lacks does not shift the others', () => {
    const item = (uri: string, likeCount = 0) => ({ post: { uri, likeCount } })
    const before = { feed: [item('at://a'), item('at://b'), item('at://c')] }
    const now = { feed: [item('at://b'), item('at://c', 5)] }
    expect(differencesOf(before, now)).toMatchObject([
      { path: 'feed[]', kind: 'only before' },
      { path: 'feed[].post.likeCount', kind: 'changed', before: '0', now: '5' },
    ])
  })

  test('views of two types are one difference', () => {
    const view = ($type: string, more: object) => ({ embed: { $type, ...more } })
    expect(differencesOf(view('a', { x: 1 }), view('b', { y: 1 }))).toEqual([
      { path: 'embed.$type', kind: 'changed', before: 'a', now: 'b' },
    ])
  })

  test('the order of items is a difference of its own', () => {
    const list = (...dids: string[]) => ({ actors: dids.map((did) => ({ did })) })
    expect(differencesOf(list('a', 'b'), list('b', 'a'))).toMatchObject([
      { path: 'actors[]', kind: 'order', before: 'a b', now: 'b a' },
    ])
  })

  test('what is normalised away is no difference', () => {
    const withoutDigits = (text: string) => text.replaceAll(/\d/g, '')
    expect(compareAnswers(answer({ a: 1 }), answer({ a: 2 }), withoutDigits).same).toBe('bytes')
  })
})

test('pages of a timeline by arrival are compared as a set without numbers', () => {
  const event = (entity_id: string, n: number) => ({ entity_id, sequence_id: String(n), a: 1 })
  const item = [answer({ events: [event('x', 1)] }), answer({ events: [event('y', 2)] })]
  const other = [answer({ events: [event('y', 7), event('x', 9)] })]
  expect(inAnyOrder(item)).toEqual(inAnyOrder(other))
  expect(inAnyOrder([answer({}, { status: 400 })]).status).toBe(400)
})

describe('causes', () => {
  const found = (path: string, method = METHOD) => ({
    path,
    kind: 'only now' as const,
    before: '',
    now: '1',
    method,
    request: '/xrpc/…',
  })

  test('the same part of a view in several methods is one cause, unnamed ones first', () => {
    const named = [{ method: '*', path: '*.viewer.muted', reason: 'mutes are new' }]
    const causes = groupByCause(
      [
        found('feed[].post.author.viewer.muted'),
        found('feed[].post.labels'),
        found('thread.post.labels', 'app.bsky.feed.getPostThread'),
      ],
      named,
    )
    expect(causes).toMatchObject([
      { path: 'post.labels', reason: undefined, count: 2 },
      { reason: 'mutes are new', count: 1 },
    ])
  })

  test('an exception holds for its method, path, kind and request', () => {
    type Pattern = {
      method: string
      path: string
      kind?: 'order'
      before?: string
      request?: string
    }
    const reason = (pattern: Pattern) =>
      reasonFor([{ ...pattern, reason: 'so' }], found('feed[].post.labels'))
    expect(reason({ method: METHOD, path: 'feed[].*' })).toBe('so')
    expect(reason({ method: 'app.bsky.*.getTimeline', path: '*labels' })).toBe('so')
    expect(reason({ method: 'app.bsky.actor.*', path: '*' })).toBe(undefined)
    expect(reason({ method: '*', path: 'feed[].post' })).toBe(undefined)
    expect(reason({ method: '*', path: '*', kind: 'order' })).toBe(undefined)
    expect(reason({ method: '*', path: '*', request: '/xrpc/*' })).toBe('so')
    expect(reason({ method: '*', path: '*', before: 'x' })).toBe(undefined)
    expect(reason({ method: '*', path: '*', request: '*cursor=*' })).toBe(undefined)
  })
})
