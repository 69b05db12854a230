// The dictionary requests of the double: serves the dictionaries of both wires over HTTP as the real server
// does, or with the fault that a test has set.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Dictionary, fixtureDictionary, withDictionaryId } from './dictionaries.ts'

/** `damaged`: looks intact, but its tables are not. `stale`: the one before the last rotation. */
export type DictionaryFault =
  | 'error'
  | 'garbage'
  | 'damaged'
  | 'endless'
  | 'silent'
  | 'missing'
  | 'stale'

export function serveDictionary(
  request: IncomingMessage,
  response: ServerResponse,
  context: {
    dictionaries: { v1: Dictionary; v2: Dictionary }
    legacy: boolean
    fault: DictionaryFault | undefined
  },
): void {
  const { dictionaries, legacy, fault } = context
  const url = new URL(request.url ?? '/', 'http://double')
  const isV2 = url.pathname === '/xrpc/network.bsky.jetstream.getZstdDictionary'
  if (fault && fault !== 'stale') return void serveFault(response, fault)
  if (url.pathname === '/v1.zdict') return void response.end(dictionaries.v1.bytes)
  if (!isV2 || legacy) return void response.writeHead(404).end('not found\n')
  const { v2 } = dictionaries
  const { id, bytes } = fault === 'stale' ? withDictionaryId(v2, v2.id - 1) : v2
  const requested = url.searchParams.get('id')
  if (requested !== null && requested !== String(id)) {
    const message = `no dictionary with id ${requested}; current dictionary id is ${id}`
    const headers = { 'Content-Type': 'application/json' }
    return void response
      .writeHead(404, headers)
      .end(JSON.stringify({ error: 'DictionaryNotFound', message }))
  }
  const headers = { 'Content-Type': 'application/octet-stream', 'X-Zstd-Dictionary-Id': String(id) }
  response.writeHead(200, headers).end(bytes)
}

function serveFault(response: ServerResponse, fault: Exclude<DictionaryFault, 'stale'>): void {
  if (fault === 'error') return void response.writeHead(500).end('no')
  if (fault === 'missing') return void response.writeHead(404).end('no')
  if (fault === 'garbage') return void response.end(Buffer.alloc(1000, 'not a dictionary '))
  if (fault === 'silent') return
  if (fault === 'damaged') {
    const { bytes } = withDictionaryId(fixtureDictionary('v2'), 5)
    return void response.end(bytes.fill(0xff, 10, 60))
  }
  const chunk = Buffer.alloc(65_536)
  const write = (): void => {
    if (response.destroyed) return
    response.write(chunk, () => setImmediate(write))
  }
  write()
}
