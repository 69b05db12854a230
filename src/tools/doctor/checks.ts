// All checks in the order of the report: the core's areas, each with what features add, and features' own.

import { type Area, areas } from './areas.ts'
import { checkCertificate } from './certificate.ts'
import { checkClock } from './clock.ts'
import { checkDatabase } from './database.ts'
import { checkDisk } from './disk.ts'
import type { Check } from './examine.ts'
import { checkFace } from './face.ts'
import { inFolder } from './in-folder.ts'
import { checkJetstream } from './jetstream.ts'
import { checkLabelers } from './labelers.ts'
import { checkMembers } from './members.ts'
import { checkMemory } from './memory.ts'
import { checkName } from './name.ts'
import { checkNetwork } from './network.ts'
import { checkPermissions } from './permissions.ts'
import { checkPictures } from './pictures.ts'
import { checkPlc } from './plc.ts'
import { checkPort } from './port.ts'
import { checkProxy } from './proxy.ts'
import { checkRuntime } from './runtime.ts'
import { checkServer } from './server.ts'
import { checkSettings, validSettings } from './settings.ts'

const runs: Record<Area, Check['run']> = {
  settings: checkSettings,
  software: checkRuntime,
  server: checkServer,
  port: checkPort,
  disk: checkDisk,
  permissions: checkPermissions,
  database: checkDatabase,
  memory: checkMemory,
  network: checkNetwork,
  clock: checkClock,
  name: checkName,
  certificate: checkCertificate,
  'did.json': checkFace,
  proxy: checkProxy,
  jetstream: checkJetstream,
  plc: checkPlc,
  members: checkMembers,
  labelers: checkLabelers,
  pictures: checkPictures,
}

/** Areas whose checks look into the data folder. */
const IN_FOLDER: ReadonlySet<string> = new Set<Area>(['server', 'disk', 'database', 'memory'])

/** The core's checks with those of features: in the core's areas, then in their own. */
export function checksWith(further: readonly Check[]): readonly Check[] {
  const ofCore = areas.map((area): Check => {
    const others = further.filter((check) => check.area === area).map(({ run }) => run)
    const run = allOf([runs[area], ...others])
    const ifFine = area === 'settings' ? validSettings : undefined
    return { area, run: IN_FOLDER.has(area) ? inFolder(run) : run, ifFine }
  })
  const known: ReadonlySet<string> = new Set(areas)
  return [...ofCore, ...further.filter(({ area }) => !known.has(area))]
}

function allOf(all: readonly Check['run'][]): Check['run'] {
  return async (doctor) => {
    const findings = await Promise.all(all.map((run) => run(doctor)))
    return findings.flat()
  }
}
