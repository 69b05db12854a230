// Checks the public name's certificate as a PDS and a browser would.

import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { DAY_MS } from '../../base/util/durations.ts'
import { type DoctorContext, isLocalOnly, nameOf } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { whyNot } from './network/why-not.ts'

const TIMEOUT_MS = 6_000
const FEW_DAYS = 14
const CADDY =
  'Caddy gets it automatically once ports 80 and 443 reach it and DNS points here: see `journalctl -u caddy`.'

type Seen = { certificate: PeerCertificate; problem: string | undefined; protocol: string | null }

export async function checkCertificate(doctor: DoctorContext): Promise<Finding[]> {
  const { config } = doctor
  if (isLocalOnly(config)) return [unchecked(`${config.publicOrigin} has none: plain http`)]
  const seen = await look(doctor).catch((error: unknown) => error as Error)
  if (seen instanceof Error) return [await aboutNoAnswer(doctor, seen)]
  const { certificate, problem, protocol } = seen
  if (problem !== undefined) return [aboutProblem(problem, certificate, nameOf(config))]
  return [aboutAge(certificate, doctor.now()), good(`${protocol}`)]
}

function look({ config, socket }: DoctorContext): Promise<Seen> {
  const host = nameOf(config)
  const port = Number(new URL(config.publicOrigin).port || 443)
  return new Promise((resolve, reject) => {
    const tls: TLSSocket = connect({
      host,
      port,
      servername: host,
      rejectUnauthorized: false,
      ...socket,
    })
    const timer = setTimeout(() => tls.destroy(timedOut()), TIMEOUT_MS)
    tls.once('secureConnect', () => {
      const problem = tls.authorized ? undefined : codeOf(tls.authorizationError)
      resolve({ certificate: tls.getPeerCertificate(), problem, protocol: tls.getProtocol() })
      tls.destroy()
    })
    tls.once('error', reject)
    tls.once('close', () => clearTimeout(timer))
  })
}

function timedOut(): Error {
  return Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
}

/** Node gives a code, or an error that has one. */
function codeOf(problem: unknown): string {
  return typeof problem === 'string' ? problem : whyNot(problem).code
}

async function aboutNoAnswer({ config, isOnline }: DoctorContext, error: Error): Promise<Finding> {
  const { text } = whyNot(error)
  if (!(await isOnline())) return unchecked(`offline: ${config.publicOrigin} was not reached`)
  const fix =
    'Start the reverse proxy, and let ports 80 and 443 through the firewall: `sudo ufw allow 80,443/tcp`. If only this machine can’t reach its own public address (NAT), try from another.'
  return wrong(`${config.publicOrigin} can’t be reached: ${text}`, fix)
}

function aboutProblem(code: string, certificate: PeerCertificate, name: string): Finding {
  const { text } = whyNot({ code })
  const until = certificate.valid_to ? `, valid until ${certificate.valid_to}` : ''
  return wrong(`PDSs and browsers reject it: ${text}${until}`, fixFor(code, name))
}

function fixFor(code: string, name: string): string {
  if (/SELF_SIGNED|ISSUER/.test(code)) return `Get one for ${name} from Let’s Encrypt. ${CADDY}`
  if (/LEAF/.test(code))
    return 'Give your proxy the full chain (fullchain.pem), not the certificate alone.'
  if (/ALTNAME/.test(code))
    return `Configure the proxy for ${name}: its site must have exactly this name. ${CADDY}`
  if (/EXPIRED/.test(code)) return `Renew it: \`sudo certbot renew\`. ${CADDY}`
  return CADDY
}

/** Programs renew when a third of the lifetime is left; some certificates live for days only. */
export function aboutAge(
  { valid_from, valid_to }: Pick<PeerCertificate, 'valid_from' | 'valid_to'>,
  nowMs: number,
): Finding {
  const leftMs = Date.parse(valid_to) - nowMs
  const lifeMs = Date.parse(valid_to) - Date.parse(valid_from)
  const days = leftMs / DAY_MS
  const left = days < 2 ? `${Math.floor(days * 24)} more hours` : `${Math.floor(days)} more days`
  if (leftMs >= Math.min(FEW_DAYS * DAY_MS, lifeMs / 4)) return good(`it is valid for ${left}`)
  return notice(`it is valid for only ${left}`, `Find out why it was not renewed. ${CADDY}`)
}
