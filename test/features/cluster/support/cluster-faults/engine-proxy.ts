// A proxy between one of our servers and one node of the engine. It can drop the traffic, or hold it back
// like a network that is down for a while, so that it arrives late.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export type ProxyMode = 'open' | 'dropped' | 'silent'

export type EngineProxy = Awaited<ReturnType<typeof startEngineProxy>>

const PORT = 9042

export async function startEngineProxy(host: string) {
  const sockets = new Set<Socket>()
  let mode: ProxyMode = 'open'

  function store(socket: Socket, other: Socket): void {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }

  const server = createServer((near) => {
    if (mode === 'dropped') return void near.resetAndDestroy()
    const far = connect(PORT, host)
    store(near, far)
    store(far, near)
    near.pipe(far).pipe(near)
    if (mode === 'silent') near.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    from: `${host}:${PORT}`,
    port: (server.address() as AddressInfo).port,
    set(next: ProxyMode): void {
      mode = next
      for (const socket of sockets) {
        if (mode === 'dropped') socket.resetAndDestroy()
        else if (mode === 'silent') socket.pause()
        else socket.resume()
      }
    },
    close(): void {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
