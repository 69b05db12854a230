// Any store that speaks S3: requests signed by aws4fetch, with path-style addresses, which all of them know. The
// signature covers the digest of the body, so a store does not take half a body for a whole one. A request that
// may succeed in a moment is repeated; if the store says that our clock is off, its clock is used.

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { backoffMs, jittered } from '../../../base/util/backoff.ts'
import { createLimiter } from '../../../base/util/limiter.ts'
import type { Bucket, StoredObject } from './bucket.ts'
import { BucketError, refused, SKEWED, unreachable } from './bucket-error.ts'
import { readBody } from './read-answer.ts'
import { readList, readRefusal } from './s3-answers.ts'

export type S3Options = {
  /** s3://bucket or s3://bucket/prefix */
  url: string
  /** Origin of the store, with or without a path. */
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** For tests. */
type S3Waits = { tries: number; firstMs: number; silentMs: number; now: () => number }

const defaults: S3Waits = { tries: 4, firstMs: 500, silentMs: 30_000, now: Date.now }

const LONGEST_WAIT_MS = 10_000
/** A line slower than this is taken for a broken one. */
const SLOWEST_BYTES_A_MS = 8
const REMOVED_AT_ONCE = 8

type BucketRequest = { method: string; query?: Record<string, string>; body?: Uint8Array }

export function createS3(options: S3Options, waits: Partial<S3Waits> = {}): Bucket {
  const { tries, firstMs, silentMs, now } = { ...defaults, ...waits }
  const { url, endpoint } = options
  const { bucket, prefix } = locationOf(url)
  const base = `${endpoint.replace(/\/$/, '')}/${bucket}`
  const removing = createLimiter({ maxRunning: REMOVED_AT_ONCE })
  let aheadMs = 0

  async function ask(path: string, requested: BucketRequest): Promise<Buffer> {
    for (let failures = 0; ; failures++) {
      try {
        return await askOnce(path, requested)
      } catch (error) {
        const isLast = failures + 1 >= tries
        if (!(error instanceof BucketError) || !error.isPassing || isLast) throw error
        await sleep(jittered(backoffMs({ firstMs, longestMs: LONGEST_WAIT_MS, failures })))
      }
    }
  }

  async function askOnce(
    path: string,
    requested: BucketRequest,
    mayCorrect = true,
  ): Promise<Buffer> {
    const { answer, bytes } = await send(path, requested)
    if (answer.ok) return bytes
    const refusal = readRefusal(answer, bytes.toString(), now())
    if (refusal.code !== SKEWED || !mayCorrect || refusal.aheadMs === undefined) {
      throw refused(url, refusal)
    }
    aheadMs = refusal.aheadMs
    return askOnce(path, requested, false)
  }

  async function send(path: string, { method, query = {}, body }: BucketRequest) {
    const target = new URL(`${base}${path}`)
    for (const [key, value] of Object.entries(query)) target.searchParams.set(key, value)
    const { headers } = await sign(target, method, body)
    const patience = silentMs + (body?.length ?? 0) / SLOWEST_BYTES_A_MS
    const abort = new AbortController()
    const late = () => abort.abort(new DOMException('too late', 'TimeoutError'))
    const timer = setTimeout(late, patience)
    try {
      const { signal } = abort
      const sent = body === undefined ? null : new Uint8Array(body)
      const answer = await fetch(target, {
        method,
        headers,
        signal,
        redirect: 'manual',
        body: sent,
      })
      timer.refresh()
      return { answer, bytes: await readBody(answer, () => timer.refresh()) }
    } catch (error) {
      if (error instanceof BucketError) throw error
      throw unreachable(url, target.origin, error)
    } finally {
      clearTimeout(timer)
    }
  }

  function sign(target: URL, method: string, body: Uint8Array | undefined) {
    const digest = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const time = new Date(now() + aheadMs).toISOString().replace(/[:-]|\.\d{3}/g, '')
    return new AwsV4Signer({
      ...options,
      method,
      url: target.href,
      service: 's3',
      headers: { 'x-amz-content-sha256': digest },
      datetime: time,
    }).sign()
  }

  async function list(folder: string): Promise<StoredObject[]> {
    const objects: StoredObject[] = []
    const first = { 'list-type': '2', prefix: prefix + folder, 'encoding-type': 'url' }
    for (let token: string | undefined = ''; token !== undefined; ) {
      const query = token === '' ? first : { ...first, 'continuation-token': token }
      const page = readList((await ask('', { method: 'GET', query })).toString())
      objects.push(...page.objects)
      token = page.next
    }
    return objects.map(({ name, bytes }) => ({ name: name.slice(prefix.length), bytes }))
  }

  async function removeOne(name: string): Promise<void> {
    try {
      await ask(pathOf(prefix + name), { method: 'DELETE' })
    } catch (error) {
      if (!(error instanceof BucketError) || !error.isMissing) throw error
    }
  }

  return {
    url,
    async put(name, bytes) {
      await ask(pathOf(prefix + name), { method: 'PUT', body: bytes })
    },
    get: (name) => ask(pathOf(prefix + name), { method: 'GET' }),
    list,
    async remove(names) {
      await Promise.all(names.map((name) => removing.run(() => removeOne(name))))
    },
  }
}

/** @returns the prefix with a slash at its end, or empty */
function locationOf(url: string): { bucket: string; prefix: string } {
  const [bucket = '', ...rest] = url.slice('s3://'.length).split('/')
  while (rest.at(-1) === '') rest.pop()
  return { bucket, prefix: rest.length === 0 ? '' : `${rest.join('/')}/` }
}

function pathOf(name: string): string {
  return `/${name.split('/').map(encodeURIComponent).join('/')}`
}
