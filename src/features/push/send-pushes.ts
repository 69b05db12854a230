// Sends pushes (RFC 8030), encrypted for the device (RFC 8291) and signed with our key (RFC 8292), through
// the guarded fetch. Retries three times if a service is away or asks to wait. Registrations that it reports
// as gone are removed; pushes that it otherwise refuses are dropped, since the next push says what there is.

import { createHash } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '../../base/util/durations.ts'
import { createLimiter } from '../../base/util/limiter.ts'
import type { GuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { retryAfterMs } from '../../sources/identity/rate-limit-headers.ts'
import { type DeviceRules, unfitEndpoint } from './device.ts'
import type { Push } from './due-pushes.ts'
import type { PushState } from './store/registrations.ts'

export type PushCounts = {
  sent: number
  gone: number
  refused: number
  failed: number
  dropped: number
}

type PushSender = {
  send(push: Push): void
  counts(): PushCounts
  /** Pushes being sent or waiting for a retry. */
  pending(): number
  close(): void
}

export type PushSenderOptions = {
  fetch: GuardedFetch
  rules: DeviceRules
  keys: () => Pick<PushState, 'publicKey' | 'privateKey'> | undefined
  /** Identifies us to a push service: an https or mailto address. */
  subject: string
  onGone: (push: Push) => void
  /** Milliseconds before each retry. */
  retryMs?: readonly number[]
}

const RETRY_MS = [10_000, MINUTE_MS, 600_000]
const LONGEST_WAIT_MS = HOUR_MS
const MAX_PENDING = 5000
/** A device that is off receives the push once it is on again. */
const TTL_SECONDS = 86_400
const TOPIC_LENGTH = 32
const LIMITS = { maxBytes: 16_384, timeoutMs: 10_000, maxRedirects: 0 }
const GONE = new Set([404, 410])
const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504])

type Outcome = 'sent' | 'gone' | 'refused' | { again: number | undefined }

export function createPushSender(options: PushSenderOptions): PushSender {
  const { onGone, retryMs = RETRY_MS } = options
  const counts: PushCounts = { sent: 0, gone: 0, refused: 0, failed: 0, dropped: 0 }
  const limiter = createLimiter({
    maxRunning: 32,
    maxRunningEach: 8,
    maxWaiting: MAX_PENDING,
    full: () => new Error('too many pushes wait'),
  })
  const timers = new Set<NodeJS.Timeout>()
  let pending = 0
  let isClosed = false

  async function attempt(push: Push, tries: number): Promise<void> {
    const host = new URL(push.to.endpoint).host
    const outcome = await limiter
      .run(() => ask(options, push), host)
      .catch((): Outcome => ({ again: undefined }))
    if (typeof outcome === 'object') return tryAgain(push, tries, outcome.again)
    counts[outcome] += 1
    pending -= 1
    if (outcome === 'gone') onGone(push)
  }

  function tryAgain(push: Push, tries: number, requested = 0): void {
    const wait = retryMs[tries]
    if (wait === undefined || isClosed || requested > LONGEST_WAIT_MS) {
      counts.failed += 1
      pending -= 1
      return
    }
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        void attempt(push, tries + 1)
      },
      Math.max(wait, requested),
    )
    timer.unref()
    timers.add(timer)
  }

  return {
    send(push) {
      if (isClosed || pending >= MAX_PENDING) {
        counts.dropped += 1
        return
      }
      pending += 1
      void attempt(push, 0)
    },
    counts: () => ({ ...counts }),
    pending: () => pending,
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** A service that the operator no longer allows counts as refused. */
async function ask(options: PushSenderOptions, { to, payload, group }: Push): Promise<Outcome> {
  const { fetch, rules, keys: keysOf, subject } = options
  const keys = keysOf()
  if (!keys || unfitEndpoint(to.endpoint, rules)) return 'refused'
  const { p256dh, auth, endpoint } = to
  const { default: webPush } = await import('web-push')
  const request = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject, ...keys },
    TTL: TTL_SECONDS,
    topic: topicOf(group),
    contentEncoding: 'aes128gcm',
  })
  const headers = Object.fromEntries(
    Object.entries(request.headers)
      .filter(([name]) => name.toLowerCase() !== 'content-length')
      .map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const body = request.body ?? Buffer.alloc(0)
  const response = await fetch(endpoint, { method: 'POST', headers, body, ...LIMITS })
  if (response.status >= 200 && response.status < 300) return 'sent'
  if (GONE.has(response.status)) return 'gone'
  return AGAIN.has(response.status)
    ? { again: retryAfterMs(response.headers, Date.now()) }
    : 'refused'
}

/** RFC 8030, section 5.4: at most 32 characters of base64url. The service learns no more by it. */
function topicOf(group: string): string {
  return createHash('sha256').update(group).digest('base64url').slice(0, TOPIC_LENGTH)
}
