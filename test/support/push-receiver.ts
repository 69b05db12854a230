// A push service and the device behind it, over real HTTP: it accepts pushes, verifies their signature and
// decrypts them by the letter of RFC 8291, using nothing of src/ or of the sending library.

import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedPush = {
  path: string
  headers: Record<string, string | string[] | undefined>
  /** The message as the device receives it. */
  message: Record<string, unknown>
  /** Claims of the token, whose signature is verified. */
  claims: Record<string, unknown>
  /** The key that signed the token. */
  key: string
}

export type PushReceiver = {
  origin: string
  host: string
  /** A subscription as a browser gives it to an app, as JSON. */
  subscribe(name?: string): string
  /** Statuses of the next responses; 201 once they are used up. */
  answerWith(...statuses: number[]): void
  received: ReceivedPush[]
  requested(): number
  close(): Promise<void>
}

export async function startPushReceiver(): Promise<PushReceiver> {
  const ecdh = createECDH('prime256v1')
  const ours = ecdh.generateKeys()
  const auth = randomBytes(16)
  const received: ReceivedPush[] = []
  let statuses: number[] = []
  let requested = 0

  const server = createServer(async (request, response) => {
    requested += 1
    const body = Buffer.concat(await request.toArray())
    const status = statuses.shift() ?? 201
    if (status === 201) received.push(open(request, body))
    response.writeHead(status).end()
  })

  function open(request: IncomingMessage, body: Buffer): ReceivedPush {
    const text = decrypt(body, { ours, auth, secretWith: (key) => ecdh.computeSecret(key) })
    const { claims, key } = readVapid(String(request.headers.authorization))
    const { headers, url = '' } = request
    return { path: url, headers, message: JSON.parse(text), claims, key }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    subscribe: (name = 'device') =>
      JSON.stringify({
        endpoint: `http://${host}/push/${name}`,
        keys: { p256dh: ours.toString('base64url'), auth: auth.toString('base64url') },
      }),
    answerWith(...next) {
      statuses = next
    },
    received,
    requested: () => requested,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

type Device = { ours: Buffer; auth: Buffer; secretWith: (key: Buffer) => Buffer }

const hmac = (key: Buffer, ...data: (Buffer | string)[]) => {
  const mac = createHmac('sha256', key)
  for (const value of data) mac.update(value)
  return mac.digest()
}

function decrypt(body: Buffer, { ours, auth, secretWith }: Device): string {
  const salt = body.subarray(0, 16)
  const theirs = body.subarray(21, 21 + body[20]!)
  const sealed = body.subarray(21 + body[20]!)
  const bytes = Buffer.from([1])
  const shared = hmac(auth, secretWith(theirs))
  const input = hmac(shared, 'WebPush: info\0', ours, theirs, bytes)
  const prk = hmac(salt, input)
  const key = hmac(prk, 'Content-Encoding: aes128gcm\0', bytes).subarray(0, 16)
  const nonce = hmac(prk, 'Content-Encoding: nonce\0', bytes).subarray(0, 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** @throws where the signature was not made with the named key. */
function readVapid(authorization: string) {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/i.exec(authorization) ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) =>
    bytes.toString('base64url'),
  )
  const jwk = { kty: 'EC', crv: 'P-256', x: x!, y: y! }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const isRight = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isRight) throw new Error('the push has an invalid signature')
  return { claims: JSON.parse(Buffer.from(body, 'base64url').toString()), key }
}
