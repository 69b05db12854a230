// Sets in Redis or Valkey: a separate server on a Unix socket, queried in pipelines as long as one of our
// batches. Reports the processor time of the server, and separately that of both ends. Skipped where neither
// is installed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batchesOf } from '../../src/base/util/batches.ts'
import { processorSeconds } from '../support/cpu-time.ts'

const SERVERS = ['valkey-server', 'redis-server']
const PIPELINE = 256
const CONNECT_TRIES = 100
const CONNECT_EVERY_MS = 50

export type Redis = {
  /**
   * Runs commands like `SADD`, each answered by one line.
   * @returns nanoseconds of processor time per command
   */
  run(commands: readonly string[]): Promise<{ server: number; both: number }>
  close(): Promise<void>
}

export async function startRedis(): Promise<Redis | undefined> {
  const command = SERVERS.find(isInstalled)
  if (command === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-redis-'))
  const path = join(folder, 'socket')
  const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no']
  const server = spawn(command, [...options, '--dir', folder], { stdio: 'ignore' })
  const socket = await connected(path)
  return {
    run: (commands) => measured(server, socket, commands),
    async close() {
      socket.destroy()
      const ended = once(server, 'exit')
      server.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function connected(path: string): Promise<Socket> {
  for (let left = CONNECT_TRIES; ; left--) {
    const socket = createConnection(path)
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, CONNECT_EVERY_MS))
    }
  }
}

async function measured(server: ChildProcess, socket: Socket, commands: readonly string[]) {
  const [before, own] = [processorSeconds(server.pid!), process.cpuUsage()]
  for (const some of batchesOf(commands, PIPELINE)) await answered(socket, some)
  const { user, system } = process.cpuUsage(own)
  const serverS = processorSeconds(server.pid!) - before
  const each = (seconds: number) => (seconds * 1e9) / commands.length
  return { server: each(serverS), both: each(serverS + (user + system) / 1e6) }
}

/** @throws if a command fails */
function answered(socket: Socket, commands: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = commands.length
    const read = (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 10) left--
      if (chunk[0] === 45) reject(new Error(chunk.toString()))
      if (left > 0) return
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read)
    socket.write(`${commands.join('\r\n')}\r\n`)
  })
}
