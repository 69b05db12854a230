// Asks a public AppView for what is not here. Requests are bounded in time, for the caller and for the host,
// in concurrency and in bytes. Answers are validated (valid-answer.ts), cached for a moment, and shared by
// identical requests. A failure means no answer, never an error.
//
// Requests say nothing about the viewer: no token, no DID. Only the list of accepted labelers is sent.

import type { Lexicons } from '@atproto/lexicon'
import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { JsonObject } from '../../../base/util/json-object.ts'
import type { CallTime } from '../../../base/util/turn.ts'
import { within } from '../../../base/util/waits.ts'
import { msOfFetch } from '../../../http/xrpc/strangers/charged-fetch.ts'
import { requestedPauseMs } from '../../../sources/circuit-breaker.ts'
import type { FetchedResponse, GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { Asker, Quota } from '../../../sources/quota.ts'
import { type AskingLine, createAskingLine } from './asking-line.ts'
import { parseObject } from './json.ts'
import type { MediaPatterns } from './neutral-views.ts'
import { itemsFieldOf, validAnswer } from './valid-answer.ts'

type Question = {
  nsid: string
  /** As in the lexicon; undefined ones are left out. */
  params: Record<string, unknown>
  labelers: readonly string[]
  /** As the header's value. */
  acceptLabelers?: string
  /** Share of the usual time that the caller waits, from 0 to 1. */
  waitShare?: number
  /** Never sent. */
  asker?: Asker
  /** Of the asking call, which is charged for the request: reading megabytes is a part of its work. */
  time?: Pick<CallTime, 'part' | 'addElsewhere'> | undefined
}

export type Fallback = {
  /** @returns an answer that the caller may modify; undefined if there is none in time */
  ask(question: Question): Promise<JsonObject | undefined>
}

type FallbackOptions = {
  origin: string
  /** Guarded, with the origin among the trusted ones. */
  fetch: GuardedFetch
  lexicons: Lexicons
  urls: MediaPatterns
  quota: Quota
  log?: Pick<Logger, 'debug' | 'warn'>
  now?: () => number
  /** Longest time that a caller waits. */
  maxWaitMs?: number
}

const MAX_WAIT_MS = 1_500
/** The host may take longer than any caller waits: a late answer serves the next caller. */
const TIMEOUT_MS = 4_000
const MAX_BYTES = 2 << 20
const CACHED_FOR_MS = MINUTE_MS
const NOTHING_CACHED_FOR_MS = 20_000
/** For methods that this host reserves for signed-in accounts, or does not have. */
const REFUSED_FOR_MS = 10 * MINUTE_MS
/** Threads change while they are viewed; account counts hardly do. */
const CACHED_FOR: Record<string, number> = {
  'app.bsky.actor.getProfile': 5 * MINUTE_MS,
  'app.bsky.actor.getProfiles': 5 * MINUTE_MS,
  'app.bsky.unspecced.getPostThreadV2': 15_000,
  'app.bsky.unspecced.getPostThreadOtherV2': 15_000,
  'app.bsky.feed.getPostThread': 15_000,
}

export function createFallback(options: FallbackOptions): Fallback {
  const { log, quota, now = Date.now, maxWaitMs = MAX_WAIT_MS } = options
  const lines: Lines = {
    member: createAskingLine('member', now),
    visitor: createAskingLine('visitor', now),
  }

  function leaveAlone(line: AskingLine, forMs: number | undefined): void {
    const pauseMs = pause(lines, line, forMs)
    if (pauseMs > 0)
      log?.warn(
        { origin: options.origin, pauseMs },
        'the public AppView fails or is slow; pausing requests to it',
      )
  }

  async function fetchAnswer(
    line: AskingLine,
    key: string,
    question: Question,
  ): Promise<Buffer | null> {
    if (!mayAsk(lines, line, question, now()) || !quota.take(question.asker)) return null
    if (!line.breaker.mayAsk()) return null
    const startedAt = now()
    const timeoutMs = Math.max(TIMEOUT_MS, maxWaitMs)
    const response = await send(options, question, timeoutMs).catch(() => undefined)
    question.time?.addElsewhere(msOfFetch(response?.body.length ?? 0))
    if (response) quota.note(response.headers)
    const outcome = judge(response)
    const isSlow = now() - startedAt > maxWaitMs
    if (outcome === 'failed' || isSlow) leaveAlone(line, requestedPauseMs(response))
    else line.breaker.succeeded()
    if (outcome === 'refused') line.refusedUntil.set(question.nsid, now() + REFUSED_FOR_MS)
    if (outcome === 'failed' || outcome === 'refused') return null
    const read = () => readAnswer(options, question, response!, now())
    const answer = outcome === 'none' ? null : await partOf(question, read)
    const forMs = answer ? (CACHED_FOR[question.nsid] ?? CACHED_FOR_MS) : NOTHING_CACHED_FOR_MS
    line.cache.set(key, answer, forMs)
    return answer
  }

  return {
    async ask(question) {
      const key = keyOf(question)
      const cached = lines.member.cache.get(key) ?? lines.visitor.cache.get(key)
      const parsed = (bytes: Buffer | null | undefined) =>
        bytes ? partOf(question, () => parseObject(bytes)) : undefined
      if (cached !== undefined) return parsed(cached)
      const line = question.asker?.rank === 'visitor' ? lines.visitor : lines.member
      const answer = askOnce(lines, line, {
        key,
        lane: question.asker?.key,
        work: () => fetchAnswer(line, key, question),
      })
      return parsed(await within((question.waitShare ?? 1) * maxWaitMs, answer))
    },
  }
}

function partOf<T>({ time }: Question, work: () => T | Promise<T>): T | Promise<T> {
  return time ? time.part(work) : work()
}

type Lines = { member: AskingLine; visitor: AskingLine }

/** A limit (`forMs`) is the whole server's, whoever reached it. */
function pause(lines: Lines, line: AskingLine, forMs: number | undefined): number {
  const paused = forMs === undefined ? [line] : [lines.member, lines.visitor]
  return Math.max(...paused.map(({ breaker }) => breaker.failed(forMs)))
}

/** Visitors also heed what was learned for members. */
function mayAsk({ member }: Lines, line: AskingLine, { nsid }: Question, now: number): boolean {
  const isRefused = ({ refusedUntil }: AskingLine) => (refusedUntil.get(nsid) ?? 0) > now
  if (isRefused(line) || isRefused(member)) return false
  return !line.breaker.isPausing() && !member.breaker.isPausing()
}

/** A member's question never waits behind a visitor's. */
function askOnce(
  lines: Lines,
  line: AskingLine,
  request: { key: string; lane: string | undefined; work: () => Promise<Buffer | null> },
): Promise<Buffer | null> {
  const { key, lane, work } = request
  const others = line === lines.visitor ? lines.member.underWay.get(key) : undefined
  const begun = line.underWay.get(key) ?? others
  if (begun) return begun
  const answer = line.limiter
    .run(work, lane)
    .catch(() => null)
    .finally(() => line.underWay.delete(key))
  line.underWay.set(key, answer)
  return answer
}

function send(
  { origin, fetch }: FallbackOptions,
  question: Question,
  timeoutMs: number,
): Promise<FetchedResponse> {
  const { nsid, acceptLabelers } = question
  return fetch(`${origin}/xrpc/${nsid}?${search(question.params)}`, {
    headers: {
      accept: 'application/json',
      ...(acceptLabelers && { 'atproto-accept-labelers': acceptLabelers }),
    },
    maxBytes: MAX_BYTES,
    timeoutMs,
    maxRedirects: 0,
  })
}

type Outcome = 'answered' | 'none' | 'refused' | 'failed'

function judge(response: FetchedResponse | undefined): Outcome {
  if (!response || response.status === 429) return 'failed'
  const { status } = response
  if (status === 200) return 'answered'
  if (status === 401 || status === 403 || status === 501) return 'refused'
  return status >= 400 && status < 500 ? 'none' : 'failed'
}

function readAnswer(
  { lexicons, urls, log }: FallbackOptions,
  { nsid, labelers }: Question,
  { body }: FetchedResponse,
  now: number,
): Buffer | null {
  const answer = parseObject(body)
  const by = { lexicons, urls, labelers, now }
  const valid = answer && validAnswer(nsid, answer, by)
  const dropped = valid ? countDropped(lexicons, nsid, { answer, valid }) : 'all'
  if (dropped !== 0) log?.debug({ nsid, dropped }, 'unusable items of the public AppView')
  return valid ? Buffer.from(JSON.stringify(valid)) : null
}

function countDropped(
  lexicons: Lexicons,
  nsid: string,
  { answer, valid }: { answer: JsonObject; valid: JsonObject },
): number {
  const field = itemsFieldOf(lexicons, nsid) ?? ''
  const lengthOf = (items: unknown) => (Array.isArray(items) ? items.length : 0)
  return lengthOf(answer[field]) - lengthOf(valid[field])
}

function keyOf({ nsid, params, acceptLabelers = '' }: Question): string {
  return `${nsid}?${search(params)} ${acceptLabelers}`
}

function search(params: Record<string, unknown>): URLSearchParams {
  const given = new URLSearchParams()
  for (const name of Object.keys(params).sort()) {
    for (const value of [params[name]].flat()) {
      if (value !== undefined) given.append(name, String(value))
    }
  }
  return given
}
