// Faults that a test orders from the PDS double: bad responses at the HTTP level, and lies in the content of
// good ones.

import type { ServerResponse } from 'node:http'
import { type Answer, type PdsRequest, RESOLVE_HANDLE } from './pds-answers.ts'

export type Misbehaviour =
  | { status: number; headers?: Record<string, string>; error?: string }
  | { redirect: string }
  | 'hang'
  | 'hang-up'
  | 'endless'
  | 'garbage'
  | 'lying-did'
  | 'lying-cid'
  | 'lying-collection'
  | 'circling-cursor'

export type Fault = {
  /**
   * Last part of the method's name, e.g. `listRecords`; every method except resolveHandle if
   * omitted.
   */
  method?: string
  did?: string
  collection?: string
  /** Number of responses to spoil; all if omitted. */
  times?: number
  how: Misbehaviour
}

/** The faults to come, in the order in which a test set them. */
export function createFaults() {
  let faults: Fault[] = []
  return {
    add(fault: Fault): void {
      faults.push({ ...fault })
    },
    clear(): void {
      faults = []
    },
    /** @returns the first that fits, and uses up one of its times */
    take(request: PdsRequest): Misbehaviour | undefined {
      const fault = faults.find((fault) => fits(fault, request))
      if (!fault) return undefined
      if (fault.times !== undefined && --fault.times <= 0) {
        faults = faults.filter((f) => f !== fault)
      }
      return fault.how
    },
  }
}

function fits(fault: Fault, { method, query }: PdsRequest): boolean {
  const did = query['repo'] ?? query['did']
  return (
    (fault.method ? method.endsWith(`.${fault.method}`) : method !== RESOLVE_HANDLE) &&
    (!fault.did || fault.did === did) &&
    (!fault.collection || fault.collection === query['collection'])
  )
}

/**
 * Responds badly at the HTTP level. @returns false where the response's content must be altered
 * instead.
 */
export async function misbehaves(how: Misbehaviour, response: ServerResponse): Promise<boolean> {
  if (typeof how === 'object') {
    if ('redirect' in how)
      send(response, { status: 302, body: {}, headers: { location: how.redirect } })
    else {
      const body = { error: how.error ?? 'InternalServerError' }
      send(response, { status: how.status, body, headers: how.headers ?? {} })
    }
    return true
  }
  if (how === 'hang') return true
  if (how === 'hang-up') response.destroy()
  else if (how === 'garbage') response.end('<html>not what you wanted</html>')
  else if (how === 'endless') pourForEver(response)
  else return false
  return true
}

function pourForEver(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(64 * 1024, 0x20)
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

export function lie(answer: Answer, how: Misbehaviour | undefined): Answer {
  if (typeof how !== 'string' || answer.status !== 200) return answer
  const body = answer.body as Record<string, unknown>
  if (how === 'circling-cursor') return { ...answer, body: { ...body, cursor: 'round' } }
  const bend = (item: Record<string, unknown>) => lieAbout(item, how)
  const records = body['records'] as Record<string, unknown>[] | undefined
  return { ...answer, body: records ? { ...body, records: records.map(bend) } : bend(body) }
}

function lieAbout(item: Record<string, unknown>, how: string): Record<string, unknown> {
  const uri = String(item['uri'] ?? '')
  if (how === 'lying-did') return { ...item, uri: uri.replace(/did:[^/]+/, 'did:plc:somebodyelse') }
  if (how === 'lying-collection') return { ...item, uri: uri.replace('app.bsky', 'com.example') }
  if (how !== 'lying-cid') return item
  const value = { ...(item['value'] as object), text: 'not what was signed' }
  return { ...item, value }
}

export function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.destroyed) return
  if (Buffer.isBuffer(body)) {
    response.writeHead(status, { 'content-type': 'application/vnd.ipld.car', ...headers })
    response.end(body)
    return
  }
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}
