// A small S3 store in memory for faults: it checks what a real one checks (the key, the date, the digest of the
// body), and can die in the middle, be slow, be full, lie, or say that keys have expired.

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const BUCKET = 'backups'
export const ACCESS_KEY = 'test-access-key'

/**
 * - `die`: the connection ends in the middle of the answer, or of the request's body
 * - `silent`: no answer
 * - `full`: 507, for objects that would be new
 * - `out-of-order`: 503
 * - `truncate`: half of the object, as if it were all
 * - `corrupt`: one wrong byte
 * - `other`: another object of the same folder
 * - `lost`: a put is acknowledged and forgotten
 * - `expired`: the access key
 */
export type Fault =
  | 'die'
  | 'silent'
  | 'full'
  | 'out-of-order'
  | 'truncate'
  | 'corrupt'
  | 'other'
  | 'lost'
  | 'expired'

type Ask = { method: string; name: string; count: number }

export type S3Double = {
  readonly endpoint: string
  readonly objects: Map<string, Buffer>
  /** Requests so far, as `PUT chunks/…`. */
  readonly requested: string[]
  /** What to do with a request, if not what is right. */
  fault: (ask: Ask) => Fault | undefined
  /** Its clock less ours. */
  aheadMs: number
  close(): Promise<void>
}

const SKEW_MS = 15 * 60_000
const PAGE = 50

export async function startS3Double(): Promise<S3Double> {
  const objects = new Map<string, Buffer>()
  const requested: string[] = []
  const server = createServer((request, response) => {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    void answer(request, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const double: S3Double = {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    requested,
    fault: () => undefined,
    aheadMs: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, double.endpoint)
    const name = decodeURIComponent(url.pathname).split('/').slice(2).join('/')
    const method = request.method!
    requested.push(`${method} ${name}`)
    response.setHeader('date', new Date(Date.now() + double.aheadMs).toUTCString())
    const fault = double.fault({ method, name, count: requested.length })
    if (fault === 'silent') return
    if (fault === 'die' && method === 'PUT') return void request.socket.destroy()
    const body = await bodyOf(request)
    const refusal = refusalOf(request, body, fault, double.aheadMs)
    if (refusal) return refuse(response, ...refusal)
    if (!url.pathname.startsWith(`/${BUCKET}`)) return refuse(response, 404, 'NoSuchBucket')
    if (method === 'PUT') {
      if (fault !== 'lost') objects.set(name, body)
      return void response.end()
    }
    if (method === 'DELETE') {
      objects.delete(name)
      return void response.writeHead(204).end()
    }
    if (name === '') return void response.end(list(url.searchParams))
    get(response, name, fault)
  }

  function get(response: ServerResponse, name: string, fault: Fault | undefined): void {
    const found = objects.get(name)
    if (!found) return refuse(response, 404, 'NoSuchKey')
    if (fault === 'die') {
      response.writeHead(200, { 'content-length': found.length })
      response.write(found.subarray(0, found.length / 2), () => response.destroy())
      return
    }
    response.end(changed(name, found, fault))
  }

  function changed(name: string, found: Buffer, fault: Fault | undefined): Buffer {
    if (fault === 'truncate') return found.subarray(0, found.length / 2)
    if (fault === 'other') {
      const folder = name.slice(0, name.indexOf('/'))
      const others = [...objects].filter(([value]) => value !== name && value.startsWith(folder))
      return others[0]?.[1] ?? Buffer.alloc(0)
    }
    if (fault !== 'corrupt') return found
    const wrong = Buffer.from(found)
    wrong[wrong.length - 20]! ^= 1
    return wrong
  }

  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const names = [...objects.keys()]
      .filter((object) => object.startsWith(prefix) && object > after)
      .sort()
    const page = names.slice(0, PAGE)
    const isCut = names.length > PAGE
    const contents = page.map(
      (value) =>
        `<Contents><Key>${encodeURIComponent(value)}</Key><Size>${objects.get(value)!.length}</Size></Contents>`,
    )
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`
  }

  return double
}

type Refusal = [status: number, code: string]

function refusalOf(
  { headers }: IncomingMessage,
  body: Buffer,
  fault: Fault | undefined,
  aheadMs: number,
): Refusal | undefined {
  if (fault === 'full') return [507, 'XMinioStorageFull']
  if (fault === 'out-of-order') return [503, 'SlowDown']
  if (fault === 'expired') return [403, 'ExpiredToken']
  if (!headers.authorization?.includes(`Credential=${ACCESS_KEY}/`)) {
    return [403, 'InvalidAccessKeyId']
  }
  const digest = createHash('sha256').update(body).digest('hex')
  if (headers['x-amz-content-sha256'] !== digest) return [400, 'XAmzContentSHA256Mismatch']
  const date = String(headers['x-amz-date']).replace(
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const off = Math.abs(Date.parse(date) - (Date.now() + aheadMs))
  return off > SKEW_MS ? [403, 'RequestTimeTooSkewed'] : undefined
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message></Message></Error>`)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
