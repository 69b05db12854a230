// How a PDS of the simulated network misbehaves: it refuses, never ends a response, sends too much, redirects
// clients elsewhere, or lies about its records.

import type { Context, Next } from 'hono'

export type PdsTrouble =
  | { status: 429 | 500; retryAfterSeconds?: number }
  | { redirect: string }
  /** `huge`: well-formed, but longer than any client should read. */
  | { body: 'endless' | 'huge' }
  | { lie: 'did' | 'cid' }

const HUGE_BYTES = 12 << 20
const CHUNK = new Uint8Array(64 * 1024).fill(0x20)

export async function misbehave(
  c: Context,
  next: Next,
  trouble: PdsTrouble,
): Promise<Response | undefined> {
  if ('redirect' in trouble) return c.redirect(trouble.redirect, 302)
  if ('body' in trouble) return trouble.body === 'huge' ? sendHuge(c) : sendForEver()
  if ('lie' in trouble) {
    await next()
    c.res = await bend(c.res, trouble.lie)
    return undefined
  }
  const { status, retryAfterSeconds } = trouble
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.json({ error: 'Trouble', message: 'Simulated: trouble' }, status)
}

function sendHuge(c: Context): Response {
  return c.json({ records: [], padding: 'x'.repeat(HUGE_BYTES) })
}

function sendForEver(): Response {
  const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(CHUNK) })
  return new Response(stream, { headers: { 'Content-Type': 'application/json' } })
}

type Answer = { uri?: string; value?: object; records?: Answer[] }

/** Falsifies records only. */
async function bend(response: Response, lie: 'did' | 'cid'): Promise<Response> {
  const isJson = response.headers.get('Content-Type')?.includes('json')
  if (response.status !== 200 || !isJson) return response
  const answer = (await response.json()) as Answer
  const { records } = answer
  const bent = records
    ? {
        ...answer,
        records: records.map((record, i) => (i === 0 ? bendRecord(record, lie) : record)),
      }
    : bendRecord(answer, lie)
  return Response.json(bent)
}

function bendRecord(answer: Answer, lie: 'did' | 'cid'): Answer {
  if (!answer.uri) return answer
  if (lie === 'cid') return { ...answer, value: { ...answer.value, text: 'Not what was signed' } }
  return { ...answer, uri: answer.uri.replace(/did:[^/]+/, 'did:plc:somebodyelse222222222222') }
}
