// In front of the answering server: exchanges the labeler's name and the administrator's password, takes out what is
// ours on purpose (differences.ts), and lets the mirror bring up what tests wrote into Postgres before each request.

import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, gzip, inflate } from 'node:zlib'
import { withoutDifferences } from './differences.ts'
import { EXAMPLE, LABELER_STAND_IN } from './labels.ts'

const ADMIN = `Basic ${Buffer.from('admin:admin-pass').toString('base64')}`
const DECODERS: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  br: promisify<Buffer, Buffer>(brotliDecompress),
  deflate: promisify<Buffer, Buffer>(inflate),
}

type Options = { target: string; before: () => Promise<void>; operatorToken: string }

export async function startProxy(
  options: Options,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((req, res) => {
    answer(options, req, res).catch((error) => {
      if (!res.headersSent) res.writeHead(502)
      res.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(options: Options, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const sent = Buffer.concat(await req.toArray())
  await options.before()
  const headers = JSON.parse(asOurs(JSON.stringify(req.headers)))
  if (headers.authorization === ADMIN) headers.authorization = adminOf(options.operatorToken)
  const isText = String(headers['content-type'] ?? '').includes('json')
  const body = isText ? Buffer.from(asOurs(sent.toString())) : sent
  if (headers['content-length'] !== undefined) headers['content-length'] = String(body.length)
  headers.host = new URL(options.target).host
  const url = new URL(asOurs(req.url ?? '/'), options.target)
  const upstream = request(url, { method: req.method ?? 'GET', headers })
  upstream.end(body)
  const found = await new Promise<IncomingMessage>((resolve, reject) => {
    upstream.on('response', resolve).on('error', reject)
  })
  const bytes = Buffer.concat(await found.toArray())
  const plain = (await DECODERS[found.headers['content-encoding'] ?? '']?.(bytes)) ?? bytes
  const visible: OutgoingHttpHeaders = { ...found.headers }
  for (const name of ['atproto-content-labelers', 'set-cookie']) {
    if (typeof visible[name] === 'string') visible[name] = asTheirs(visible[name])
  }
  const text = plain.toString()
  const about = { type: found.headers['content-type'], path: url.pathname }
  const notified = asTheirs(withoutDifferences(text, about))
  const sentBack = notified === text ? bytes : await encoded(notified, visible)
  res.writeHead(found.statusCode ?? 502, visible)
  res.end(sentBack)
}

/** Compressed again if it was, in a way that all clients of the tests read. */
async function encoded(text: string, headers: OutgoingHttpHeaders): Promise<Buffer> {
  delete headers['transfer-encoding']
  const isCompressed = headers['content-encoding'] !== undefined
  const bytes = isCompressed ? await promisify<string, Buffer>(gzip)(text) : Buffer.from(text)
  if (isCompressed) headers['content-encoding'] = 'gzip'
  headers['content-length'] = String(bytes.length)
  return bytes
}

function adminOf(token: string): string {
  return `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`
}

function asOurs(text: string): string {
  const did = LABELER_STAND_IN()
  return text
    .replaceAll(EXAMPLE, did)
    .replaceAll(encodeURIComponent(EXAMPLE), encodeURIComponent(did))
}

function asTheirs(text: string): string {
  return text.replaceAll(LABELER_STAND_IN(), EXAMPLE)
}
