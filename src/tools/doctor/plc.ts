// Checks the did:plc directory: without it no new account can be recognised.

import type { DoctorContext } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { whyNot } from './network/why-not.ts'

const SLOW_MS = 2_000
/** Bluesky's moderation service, which every public mirror has. */
const KNOWN_DID = 'did:plc:ar7c4by46qjdydhdevvrndac'

export async function checkPlc(doctor: DoctorContext): Promise<Finding[]> {
  const { config, ask, isOnline } = doctor
  const { plcUrl } = config
  const did = config.labelers.find((labeler) => labeler.startsWith('did:plc:')) ?? KNOWN_DID
  const fix =
    'Set SLIPSTREAM_PLC_URL=https://plc.directory (its default), and allow outgoing port 443 in the firewall.'
  try {
    const { status, ms, headers } = await ask(`${plcUrl}/${did}`)
    if (status >= 300 && status < 400) {
      return [
        wrong(
          `${plcUrl} redirects to ${headers['location'] ?? 'nowhere'}`,
          'Set SLIPSTREAM_PLC_URL to that address.',
        ),
      ]
    }
    if (status === 429)
      return [notice(`${plcUrl} rate-limits this machine`, 'Wait, or run your own mirror.')]
    const isDirectory = status === 200 || status === 404 || status === 410
    if (!isDirectory) return [wrong(`${plcUrl} answers ${status}`, fix)]
    if (status === 200 && !headers['content-type']?.includes('json')) {
      return [wrong(`${plcUrl} is not a PLC directory`, fix)]
    }
    const text = `${plcUrl} answers within ${ms} ms`
    return [ms < SLOW_MS ? good(text) : notice(`${text}, which is slow`)]
  } catch (error) {
    if (!(await isOnline())) return [unchecked(`offline: ${plcUrl} was not reached`)]
    return [wrong(`${plcUrl} can’t be reached: ${whyNot(error).text}`, fix)]
  }
}
