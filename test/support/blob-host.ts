// A PDS over real HTTP that has only blobs, and misbehaves on demand: it lies about types, sends other bytes,
// stalls in the middle, refuses and fails. It counts its requests.

import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type BlobHost = {
  url: string
  /**
   * Stores a blob, served with this `contentType`.
   * @returns its CID
   */
  put(bytes: Buffer, contentType?: string): string
  /** Serves `bytes` under a CID that belongs to others. */
  putAs(cid: string, bytes: Buffer): void
  /**
   * Sets the behaviour: `fail` with a status, `stall` after the head, `drip` a byte now and then, or
   * undefined for good behaviour.
   */
  behave(how: { fail: number } | 'stall' | 'drip' | undefined): void
  /** Delays all answers until `what` resolves. */
  waitFor(what: Promise<unknown>): void
  requests(): number
  close(): Promise<void>
}

/** Computes the CID by arithmetic on one large number, unlike our own code. */
export function blobCid(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest('hex')
  const digits = (BigInt(`0x01551220${digest}`) << 2n).toString(32).padStart(58, '0')
  const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
  return `b${[...digits].map((digit) => base32[Number.parseInt(digit, 32)]).join('')}`
}

export async function startBlobHost(): Promise<BlobHost> {
  const blobs = new Map<string, { bytes: Buffer; contentType: string }>()
  let how: { fail: number } | 'stall' | 'drip' | undefined
  let awaited: Promise<unknown> = Promise.resolve()
  let requested = 0

  function answer(cid: string, response: ServerResponse): void {
    const blob = blobs.get(cid)
    if (typeof how === 'object') return refuse(response, how.fail)
    if (!blob) return refuse(response, 400)
    response.writeHead(200, { 'content-type': blob.contentType })
    if (how === 'stall') response.write(blob.bytes.subarray(0, 100))
    else if (how === 'drip') drip(response, blob.bytes)
    else response.end(blob.bytes)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://host')
    if (url.pathname !== '/xrpc/com.atproto.sync.getBlob') return refuse(response, 404)
    requested += 1
    void awaited.then(() => answer(url.searchParams.get('cid') ?? '', response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    put(bytes, contentType = 'application/octet-stream') {
      const cid = blobCid(bytes)
      blobs.set(cid, { bytes, contentType })
      return cid
    },
    putAs(cid, bytes) {
      blobs.set(cid, { bytes, contentType: 'image/png' })
    },
    behave(next) {
      how = next
    },
    waitFor(what) {
      awaited = what
    },
    requests: () => requested,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function drip(response: ServerResponse, bytes: Buffer): void {
  let sent = 0
  const timer = setInterval(() => response.write(bytes.subarray(sent, ++sent)), 20)
  response.on('close', () => clearInterval(timer))
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: 'BlobNotFound', message: 'Blob not found' }))
}
