// Talks to a running server through the socket in its data folder. If nothing answers there, the server is
// not running, and most commands then work on the database directly.

import { type IncomingMessage, request } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { isHeldByAnother } from '../../data/store/files/lock.ts'
import { controlSocketPath } from '../../http/operator/control-socket-path.ts'
import type { ErrorBody } from '../../http/operator/operator-error.ts'
import { CliError, EXIT } from '../fail.ts'

export type ControlClient = {
  /** @throws CliError with the server's explanation. */
  ask<T>(method: string, path: string, body?: string | Buffer): Promise<T>
  /** Yields lines of JSON as they arrive. */
  follow<T>(method: string, path: string, body?: string): AsyncGenerator<T>
}

/** A server that starts has the folder some time before it answers. */
const STARTING_MS = 10_000
const EVERY_MS = 100

/**
 * Waits for a server that is starting.
 * @returns undefined if no server runs on this folder.
 * @throws CliError if this user may not connect.
 */
export async function findServer(dataDir: string): Promise<ControlClient | undefined> {
  const client = createClient(controlSocketPath(dataDir))
  for (let waited = 0; ; waited += EVERY_MS) {
    if (await isThere(client)) return client
    if (waited >= STARTING_MS || !isHeldByAnother(dataDir)) return undefined
    await setTimeout(EVERY_MS)
  }
}

async function isThere(client: ControlClient): Promise<boolean> {
  try {
    await client.ask('GET', '/status')
    return true
  } catch (error) {
    if (isNobodyThere(error)) return false
    throw error
  }
}

function createClient(socketPath: string): ControlClient {
  function send(method: string, path: string, body?: string | Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const asking = request({ socketPath, method, path }, resolve)
      asking.on('error', (error) => reject(explain(error, socketPath)))
      asking.end(body)
    })
  }

  return {
    async ask<T>(method: string, path: string, body?: string | Buffer) {
      const response = await send(method, path, body)
      return readAnswer(response) as T
    },
    async *follow<T>(method: string, path: string, body?: string) {
      const response = await send(method, path, body)
      if (response.statusCode !== 200) await readAnswer(response)
      for await (const line of createInterface({ input: response })) {
        const reported = JSON.parse(line) as T & Partial<ErrorBody>
        if (reported.error !== undefined) throw refusal(reported as ErrorBody)
        yield reported
      }
    },
  }
}

async function readAnswer(response: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  if (response.statusCode === 200) return JSON.parse(text || '{}')
  const answer = isJson(response) ? (JSON.parse(text) as Partial<ErrorBody>) : {}
  throw refusal({ error: 'Refused', message: `answer ${response.statusCode}`, ...answer })
}

/** A route that this server does not have is answered in plain text. */
function isJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false
}

function refusal({ error, message, hint }: ErrorBody): CliError {
  const exitCode = error === 'InternalError' ? EXIT.software : EXIT.failed
  return new CliError(message, hint ?? 'See the server’s log.', exitCode)
}

function isNobodyThere(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  // EINVAL: the path is too long for a socket; ENOTDIR: its folder is a file. No server can have created one.
  return ['ENOENT', 'ECONNREFUSED', 'EINVAL', 'ENOTDIR'].includes(code ?? '')
}

function explain(error: NodeJS.ErrnoException, socketPath: string): Error {
  if (isNobodyThere(error)) return error
  if (error.code === 'EACCES' || error.code === 'EPERM') {
    return new CliError(
      `You may not open the server’s control socket ${socketPath}.`,
      'Run this as the user that runs Slipstream, for example with `sudo -u slipstream`.',
      EXIT.config,
    )
  }
  return new CliError(
    `The server’s answer was cut off: ${error.message}.`,
    'It may have stopped. Check its log, and try again.',
    EXIT.unavailable,
  )
}
