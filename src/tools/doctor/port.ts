// Checks the port: ours, free, or taken by another program.

import { createServer } from 'node:net'
import type { Config } from '../../base/config/config.ts'
import type { Status } from '../../http/operator/status.ts'
import { type DoctorContext, runningServer } from './context.ts'
import { here } from './cures.ts'
import { type Finding, good, unchecked, wrong } from './finding.ts'
import { jsonOf } from './network/ask.ts'
import { whyNot } from './network/why-not.ts'

const TIMEOUT_MS = 3_000

export async function checkPort(doctor: DoctorContext): Promise<Finding[]> {
  const { config } = doctor
  if (config.port === 0) return [unchecked('it takes any free port')]
  const version = await healthOf(doctor)
  const running = runningServer(doctor)
  if (running) return [aboutOurs(config, running.status, version)]
  if (version.includes('.')) {
    const text = `another Slipstream (${version}) answers on ${config.bind}:${config.port}, with another data folder than ${config.dataDir}`
    return [wrong(text, 'Run this with its settings, stop it, or set another SLIPSTREAM_PORT.')]
  }
  return [await aboutFree(config)]
}

function aboutOurs({ bind, port }: Config, status: Status, version: string): Finding {
  if (status.port !== port || status.bind !== bind) {
    const text = `the server was started for ${status.bind}:${status.port}, and this shell’s settings say ${bind}:${port}`
    return wrong(
      text,
      `Run this with its settings. If you changed them, they count after a restart. ${here.restart}`,
    )
  }
  if (version.includes('.')) return good(`the server answers on ${bind}:${port}`)
  const fix = 'Check its log.'
  return wrong(`the server runs, but does not answer on ${bind}:${port}: ${version}`, fix)
}

/** The version of the Slipstream that answers, or why none does. */
async function healthOf({ config, ask }: DoctorContext): Promise<string> {
  const host = reachable(config.bind)
  try {
    const reply = await ask(`http://${host}:${config.port}/xrpc/_health`, { timeoutMs: TIMEOUT_MS })
    const { version } = jsonOf(reply)
    return typeof version === 'string' && reply.headers['x-request-id']
      ? version
      : 'another program answers'
  } catch (error) {
    return whyNot(error).text
  }
}

/** The address at which a listener on `bind` is reachable. */
export function reachable(bind: string): string {
  if (bind === '0.0.0.0') return '127.0.0.1'
  if (bind === '::') return '[::1]'
  return bind.includes(':') ? `[${bind}]` : bind
}

function aboutFree({ bind, port }: Config): Promise<Finding> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', (error: NodeJS.ErrnoException) =>
      resolve(aboutTaken({ bind, port }, error)),
    )
    probe.listen(port, bind, () => {
      probe.close(() => resolve(good(`${bind}:${port} is free; no server runs`)))
    })
  })
}

function aboutTaken(
  { bind, port }: { bind: string; port: number },
  { code, message }: NodeJS.ErrnoException,
) {
  const where = `${bind}:${port}`
  if (code === 'EADDRINUSE') {
    const fix = `See which: \`sudo ss -ltnp 'sport = :${port}'\` (Debian’s package iproute2). Stop it, or set SLIPSTREAM_PORT to a free one (and the proxy to the same).`
    return wrong(`another program listens on ${where}`, fix)
  }
  if (code === 'EACCES') {
    return wrong(
      `only root can use port ${port}`,
      'Set SLIPSTREAM_PORT=3000, with a proxy in front.',
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EINVAL') {
    const fix = 'Set SLIPSTREAM_BIND=127.0.0.1 (a proxy on this machine), or 0.0.0.0 (anywhere).'
    return wrong(`this machine has no address ${bind}`, fix)
  }
  return wrong(
    `${where} can’t be listened on: ${message}`,
    'Set SLIPSTREAM_PORT and SLIPSTREAM_BIND.',
  )
}
