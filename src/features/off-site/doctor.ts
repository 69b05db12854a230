// What the doctor says of the off-site backup: how old its last state is, whether it can be restored, and whether
// the store answers now.

import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import { DAY_MS, HOUR_MS } from '../../base/util/durations.ts'
import { duration } from '../../base/util/format.ts'
import { type DoctorContext, runningServer } from '../../tools/doctor/context.ts'
import { here } from '../../tools/doctor/cures.ts'
import { type Finding, good, notice, unchecked, wrong } from '../../tools/doctor/finding.ts'
import { BucketError } from './bucket/bucket-error.ts'
import { createS3 } from './bucket/s3.ts'
import { FOLDERS } from './copying/names.ts'
import { missingIn } from './missing.ts'
import { offSiteSettings } from './settings.ts'
import { type OffSiteStatus, readStatus } from './status.ts'
import { whereTo } from './where.ts'

/** Of the state while a server runs: ten times what the settings ask for, at least a quarter of an hour. */
const LATE_TIMES = 10
const LEAST_LATE_MS = HOUR_MS / 4
const LATE_TRIALS = 2

export async function checkOffSite(doctor: DoctorContext): Promise<Finding[]> {
  const settings = settingsOf(doctor.config, offSiteSettings)
  if (settings.offSiteTo === undefined) return [noneAtAll()]
  const missing = missingIn(settings)
  if (missing) return [wrong(missing.message, missing.hint)]
  const status = readStatus(doctor.config.dataDir)
  const about = status?.url === settings.offSiteTo ? aboutStatus(status, doctor) : [nothingYet()]
  return [...about, ...(await aboutStore(doctor.config))]
}

function noneAtAll(): Finding {
  return notice(
    'no off-site backup: what members keep here is lost with this disk',
    'Set SLIPSTREAM_OFF_SITE_TO (docs/OPERATING.md).',
  )
}

function nothingYet(): Finding {
  return unchecked('nothing has been sent off-site yet', `${here.start} It begins at once.`)
}

function aboutStatus(status: OffSiteStatus, doctor: DoctorContext): Finding[] {
  return [aboutAge(status, doctor), ...aboutTrial(status, doctor)]
}

function aboutAge({ stateAt, privateAt, problem }: OffSiteStatus, doctor: DoctorContext): Finding {
  const { offSiteSeconds } = settingsOf(doctor.config, offSiteSettings)
  const why = problem ? `: ${problem.message}` : ''
  const fix = problem?.hint ?? `The log says why: ${here.log}`
  if (stateAt === undefined) {
    const text = privateAt
      ? 'the first whole off-site copy is not complete yet; members’ private state is stored'
      : 'the off-site backup has stored nothing yet'
    return problem ? wrong(text + why, fix) : notice(text)
  }
  const age = doctor.now() - stateAt
  const text = `the off-site backup’s last state is ${duration(age)} old`
  const isLate = age > Math.max(LEAST_LATE_MS, LATE_TIMES * offSiteSeconds * 1_000)
  if (isLate && runningServer(doctor)) return wrong(text + why, fix)
  return problem ? notice(text + why, fix) : good(text)
}

function aboutTrial({ trial }: OffSiteStatus, doctor: DoctorContext): Finding[] {
  const { offSiteTrialDays } = settingsOf(doctor.config, offSiteSettings)
  if (offSiteTrialDays === 0) return []
  const from = 'It is tried by itself; to try on another machine: `slipstream restore --from`.'
  if (!trial) return [notice('the off-site backup has not been restored on trial yet', from)]
  const ago = duration(doctor.now() - trial.at)
  if (!trial.ok) return [wrong(`a trial restore ${ago} ago failed: ${trial.text}`, from)]
  const isLate = doctor.now() - trial.at > LATE_TRIALS * offSiteTrialDays * DAY_MS
  const text = `a trial restore ${ago} ago succeeded`
  return [isLate ? notice(text, from) : good(text)]
}

async function aboutStore(config: Config): Promise<Finding[]> {
  const { s3 } = whereTo(config)
  try {
    await createS3(s3, { tries: 1 }).list(FOLDERS.bases)
    return [good(`${s3.url} answers and lists its objects`)]
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    return [wrong(error.message, error.hint)]
  }
}
