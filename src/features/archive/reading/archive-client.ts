// The archive over HTTP: the key, bounded bodies, and retries. Temporary failures are retried for as long as
// it takes, with growing pauses or when the server says; after a used-up quota every request waits for the
// reset. Permanent failures go to the caller.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../../base/obs/log.ts'
import { backoffMs, jittered } from '../../../base/util/backoff.ts'
import { asObject, parseJson } from '../../../base/util/json-object.ts'
import { remainingRequests, retryAfterMs } from '../../../sources/identity/rate-limit-headers.ts'
import type { ArchiveLimits } from './limits.ts'
import { readBody } from './read-body.ts'

export type ArchiveAnswer = { status: 200 | 206; headers: Headers; body: Buffer }

type ArchiveQuestion = {
  /** `planSnapshot?…`: appended to /xrpc/network.bsky.jetstream. */
  path: string
  maxBytes: number
  /** Makes it a POST. */
  json?: unknown
  /**
   * Inclusive; `etag` of the file that it must belong to. Of a 200 to a range request hardly
   * anything is read.
   */
  range?: { from: number; to: number; etag?: string }
}

/** A 4xx answer that a retry does not change. */
export class ArchiveRefusal extends Error {
  override name = 'ArchiveRefusal'
  readonly status: number
  /** Code of the XRPC error; empty if there is none. */
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(`${status} ${code} ${message}`.trim())
    this.status = status
    this.code = code
  }
}

export type Waiting = {
  why: 'quota' | 'refused' | 'away'
  /** Milliseconds since 1970. */
  until: number
  message: string
}

export type ArchiveClient = {
  /** @throws ArchiveRefusal, or the signal's reason once aborted. */
  ask(question: ArchiveQuestion): Promise<ArchiveAnswer>
  /** The current wait, if any. */
  waiting(): Waiting | undefined
}

type Options = {
  /** http or https, without a path. */
  origin: string
  key: string | undefined
  signal: AbortSignal
  /** Called with the bytes of every answer. */
  onBytes: (bytes: number) => void
  /** Called before every request: milliseconds to wait for our own limit. */
  ownWaitMs: () => number
  limits: ArchiveLimits
  now: () => number
  log: Pick<Logger, 'warn' | 'error'>
}

export function createArchiveClient(options: Options): ArchiveClient {
  const { signal, limits, now, log } = options
  let waiting: Waiting | undefined
  let notBeforeMs = 0

  async function ask(question: ArchiveQuestion): Promise<ArchiveAnswer> {
    for (let attempt = 1; ; attempt++) {
      await beforeAsking()
      const outcome = await attemptOnce(options, question)
      if ('body' in outcome) {
        waiting = undefined
        noteQuota(outcome.headers)
        return outcome
      }
      if (outcome instanceof ArchiveRefusal) throw outcome
      const requested = outcome.waitMs && Math.max(outcome.waitMs, limits.backoffBaseMs)
      await wait(outcome.why, requested || retryMs(limits, attempt), outcome.message)
    }
  }

  /** Waits for the server's quota and our own. */
  async function beforeAsking(): Promise<void> {
    const restMs = notBeforeMs - now()
    if (restMs > 0) await wait('quota', restMs, 'the server’s quota is used up')
    const ownMs = options.ownWaitMs()
    if (ownMs > 0) await wait('quota', ownMs, 'the SLIPSTREAM_ARCHIVE_DAILY_GB quota is used up')
  }

  function noteQuota(headers: Headers): void {
    const left = remainingRequests(headers, now())
    if (left?.remaining !== 0) return
    notBeforeMs = now() + Math.min(left.resetMs, limits.maxQuotaWaitMs)
  }

  async function wait(why: Waiting['why'], ms: number, message: string): Promise<void> {
    signal.throwIfAborted()
    const waitMs = Math.min(ms, limits.maxQuotaWaitMs)
    const until = now() + waitMs
    const isNews = waiting?.why !== why || waiting.message !== message
    waiting = { why, until, message }
    const line = { why, message, until: new Date(until).toISOString() }
    if (isNews) log[why === 'refused' ? 'error' : 'warn'](line, 'waiting for the archive')
    while (now() < until) await sleep(Math.min(until - now(), 3_600_000), undefined, { signal })
  }

  return { ask, waiting: () => waiting }
}

type Again = { why: Waiting['why']; waitMs: number | undefined; message: string }

async function attemptOnce(
  options: Options,
  question: ArchiveQuestion,
): Promise<ArchiveAnswer | ArchiveRefusal | Again> {
  const { signal, limits, onBytes } = options
  const { idleTimeoutMs } = limits
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(new Error('it says nothing')), idleTimeoutMs)
  const either = AbortSignal.any([signal, patience.signal])
  try {
    const response = await fetch(urlOf(options, question), requestOf(options, question, either))
    const isWanted = response.status === 200 || response.status === 206
    const isComplete = response.status === 200 && question.range !== undefined
    const maxBytes = isWanted ? question.maxBytes : 4096
    const body = await readBody(response, {
      who: 'it',
      maxBytes: isComplete ? 0 : maxBytes,
      isCut: isComplete || !isWanted,
      onChunk: (bytes) => {
        onBytes(bytes)
        timer.refresh()
      },
    })
    if (isWanted) return { status: response.status as 200 | 206, headers: response.headers, body }
    return judge(response, body, options)
  } catch (error) {
    signal.throwIfAborted()
    const { cause } = error as Error
    const { message } = cause instanceof Error ? cause : (error as Error)
    return { why: 'away', waitMs: undefined, message }
  } finally {
    clearTimeout(timer)
  }
}

function urlOf({ origin }: Options, { path }: ArchiveQuestion): string {
  return `${origin}/xrpc/network.bsky.jetstream.${path}`
}

function requestOf({ key }: Options, question: ArchiveQuestion, signal: AbortSignal): RequestInit {
  const { json, range } = question
  // The data is already compressed, and a range of an encoded body would differ.
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (key !== undefined) headers['authorization'] = `Bearer ${key}`
  if (range) headers['range'] = `bytes=${range.from}-${range.to}`
  if (range?.etag !== undefined) headers['if-range'] = range.etag
  if (json === undefined) return { headers, signal }
  headers['content-type'] = 'application/json'
  return { method: 'POST', body: JSON.stringify(json), headers, signal }
}

/** Decides how to handle an error answer. */
function judge(response: Response, body: Buffer, options: Options): ArchiveRefusal | Again {
  const { status, headers } = response
  const { code, text } = readError(body)
  const message = `${status} ${code} ${text}`.trim()
  const now = options.now()
  const requested = retryAfterMs(headers, now)
  if (status === 429) {
    const resetMs = remainingRequests(headers, now)?.resetMs
    return { why: 'quota', waitMs: requested ?? resetMs, message }
  }
  if (status >= 500 && status !== 501) return { why: 'away', waitMs: requested, message }
  if (status === 408) return { why: 'away', waitMs: undefined, message }
  const isOperators = [401, 402, 403, 501].includes(status) || code === 'MethodNotImplemented'
  if (isOperators) return { why: 'refused', waitMs: options.limits.refusedWaitMs, message }
  return new ArchiveRefusal(status, code, text)
}

function readError(body: Buffer): { code: string; text: string } {
  const { error: code, message } = asObject(parseJson(body.toString())) ?? {}
  return { code: String(code ?? '').slice(0, 100), text: String(message ?? '').slice(0, 300) }
}

function retryMs({ backoffBaseMs, backoffMaxMs }: ArchiveLimits, attempt: number): number {
  const bounds = { firstMs: backoffBaseMs, longestMs: backoffMaxMs }
  return jittered(backoffMs({ ...bounds, failures: attempt - 1 }))
}
