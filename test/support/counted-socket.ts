// Sockets whose received bytes the kernel counts, for comparing with our own counts.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import type { Traffic } from '../../src/sources/traffic.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()

export function closeSockets(): void {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
}

/** Hands every connection on to `port`. @returns its own port. */
export async function passOn(server: Server, port: number): Promise<number> {
  servers.push(server)
  const event = 'setSecureContext' in server ? 'secureConnection' : 'connection'
  server.on(event, (socket: Socket) => pipeBoth(socket, connect(port, '127.0.0.1')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

function pipeBoth(item: Socket, other: Socket): void {
  for (const socket of [item, other]) {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  }
  item.pipe(other)
  other.pipe(item)
}

/**
 * What the kernel says the client's end of the stream's connection to `port` has received: the largest, beside that
 * over which the dictionary came.
 */
export function kernelCount(port: number): number {
  const args = ['-tinH', 'state', 'established', 'dst', `127.0.0.1:${port}`]
  const message = execFileSync('ss', args, { encoding: 'utf8' })
  return Math.max(0, ...[...message.matchAll(/bytes_received:(\d+)/g)].map(([, n]) => Number(n)))
}

export function differenceOf(counts: Traffic, kernel: number): number {
  return Math.abs(counts.read()[0]!.socketBytes - kernel) / kernel
}
