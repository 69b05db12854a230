// Checks whether this machine has network access at all. If not, the other checks report that they could not
// look, instead of each reporting the same problem.

import type { DoctorContext } from './context.ts'
import { type Finding, good, wrong } from './finding.ts'

export async function checkNetwork({ config, isOnline }: DoctorContext): Promise<Finding[]> {
  if (await isOnline()) return [good('the internet can be reached')]
  const text =
    'none of the hosts that Slipstream needs can be reached: this machine seems to be offline'
  const fix = `Try \`curl -v ${config.plcUrl}/_health\`. If names can’t be looked up: /etc/resolv.conf; else the firewall must allow outgoing port 443.`
  return [wrong(text, fix)]
}
