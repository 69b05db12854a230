// The ingest thread's part: reads relays, beside Jetstream or in its place, and checks what Jetstream says.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { IngestFeature } from '../../ingest/feature.ts'
import { isInCircle } from '../../ingest/indexing/index-context.ts'
import { createOutside } from '../../ingest/outside.ts'
import { createAccountCheck } from './account-events.ts'
import { createConfirm } from './account-status.ts'
import { createIsAtHome } from './at-home.ts'
import { createAudit } from './audit.ts'
import { createCandidates } from './candidates.ts'
import { createJudge } from './firehose/judge.ts'
import { createAccountKeys } from './firehose/keys.ts'
import { createHeard } from './heard.ts'
import { readKeys, saveKeys } from './keys-file.ts'
import { createMainRelays } from './main-stream.ts'
import { relaysOf } from './relay-hosts.ts'
import { createRelays } from './relays.ts'
import { repoMirrors } from './repo-mirrors.ts'
import { verificationSettings } from './settings.ts'

export const ingest: IngestFeature = {
  start(config, core) {
    const { actors } = core
    const settings = settingsOf(config, verificationSettings)
    const hosts = relaysOf(settings.relayHosts, config.jetstreamHosts)
    const isOn = settings.verify !== 'off'
    const outside = createOutside(config, core)
    // Keys of all, within no budget: they are few, and their records are waited for.
    const mirrors = repoMirrors(settings.repoMirrors, createAccountKeys(outside.resolver))
    if (hosts.length === 0 && !isOn) return { mirrors }
    const isOurs = (did: string) => isInCircle(actors, actors.uidOf(did))
    const isAll = settings.verify === 'all'
    const strangers = isAll && {
      isStranger: (did: string) => !isOurs(did),
      perMinute: settings.verifyLookupsMinute,
      cache: readKeys(config),
    }
    const keys = createAccountKeys(outside.resolver, strangers || undefined)
    const use = settings.relayUse
    const confirm = createConfirm(outside)
    if (config.jetstreamHosts.length === 0) {
      const judge = createJudge({
        keys,
        verifies: isAll ? () => true : isOurs,
        isCompared: isOurs,
        takesLate: use === 'always' && hosts.length > 1,
        confirm,
      })
      const isAtHome = createIsAtHome(core, isOurs)
      const saver = isAll ? saveKeys(config, core, keys) : undefined
      return {
        mirrors,
        stop: async () => saver?.stop(),
        mainStream: (apply) => createMainRelays(core, { hosts, use, judge, isAtHome, apply }),
      }
    }
    const relays = createRelays(config, core, { hosts, use, keys, isOurs, confirm })
    const heard = createHeard({ actors, isOurs })
    const audit = isOn
      ? createAudit({
          ...outside,
          core,
          keys,
          heard,
          candidates: createCandidates(core, heard),
          perMinute: settings.verifyRequestsMinute,
        })
      : undefined
    const check = isOn ? createAccountCheck({ core, isOurs, confirm }) : undefined
    return {
      mirrors,
      beforeBatch: (batch) => (check && batch.cursor.wire !== 'repos' ? check(batch) : batch),
      onBatch(batch) {
        if (batch.cursor.wire === 'repos') return
        relays.noteJetstream(batch)
        if (audit) heard.note(batch)
      },
      async stop() {
        audit?.stop()
        await relays.stop()
      },
    }
  },
}
