// Checks that each labeler whose labels apply to all readers is one.

import { findLabeler } from '../../sources/identity/labeler-identity.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, good, notice, unchecked, wrong } from './finding.ts'
import { whyNot } from './network/why-not.ts'

const MAX_CHECKED = 10

export async function checkLabelers(doctor: DoctorContext): Promise<Finding[]> {
  const { labelers } = doctor.config
  if (labelers.length === 0) {
    return [notice('none is set: only authors’ own labels apply', 'Set SLIPSTREAM_LABELERS.')]
  }
  const found = await Promise.all(
    labelers.slice(0, MAX_CHECKED).map((did) => aboutOne(doctor, did)),
  )
  return found
}

async function aboutOne({ resolver, ask, isOnline }: DoctorContext, did: string): Promise<Finding> {
  const labeler = await findLabeler(resolver, did)
  if (!labeler) {
    if (!(await isOnline())) return unchecked(`offline: ${did} was not looked up`)
    return wrong(
      `${did} is not a labeler, or can’t be looked up now`,
      'Check SLIPSTREAM_LABELERS, and the findings on plc.',
    )
  }
  const url = `${labeler.origin}/xrpc/com.atproto.label.queryLabels?uriPatterns=*&limit=1`
  try {
    const { status } = await ask(url)
    if (status === 200) return good(`${did} answers at ${labeler.origin}`)
    return notice(`${did} answers ${status} at ${labeler.origin}: its labels arrive late`)
  } catch (error) {
    return notice(
      `${did} can’t be reached at ${labeler.origin}: ${whyNot(error).text}`,
      'Labels arrive once it is back.',
    )
  }
}
