// Connects the live stream with the ingest thread: hosts, filters and cursors by the settings, within a budget
// of bytes if there is one, or if one left something out so far.

import {
  type Consumer,
  type ConsumerOptions,
  createConsumer,
  type StreamBatch,
} from '@slipstream/jetstream'
import { type Config, ConfigError } from '../../../base/config/config.ts'
import { putStreamChoice, streamChoice } from '../../../data/store/stream/stream-choices.ts'
import type { StreamUse } from '../../../sources/traffic.ts'
import type { Core } from '../../core.ts'
import { createBudgetedStream, earlier } from './budgeted-stream.ts'
import { cursorsFromNowOn } from './first-cursor.ts'
import { streamFilters } from './stream-filters.ts'
import { streamSettings, unreadCollections } from './stream-settings.ts'

const GB = 1e9

/**
 * @param apply - writes a batch of the main stream
 * @throws ConfigError if no host is named
 */
export function createMainStream(
  config: Config,
  core: Core,
  apply: (batch: StreamBatch) => Promise<void>,
): Consumer {
  const { actors, db, writer, giveWay, log, now, traffic, watchdog } = core
  const { jetstreamHosts, streamBudgetGbMonth, trustedVerifiers, indexScope } = config
  if (jetstreamHosts.length === 0) {
    throw new ConfigError(
      'SLIPSTREAM_JETSTREAM_HOSTS is off, and no relay brings the events instead.',
      'Name Jetstream hosts, or relays in SLIPSTREAM_RELAY_HOSTS (docs/SOURCES.md).',
    )
  }

  function connect(
    use: StreamUse,
    options: Pick<ConsumerOptions, 'filters' | 'cursors' | 'apply' | 'alwaysFiltered'>,
  ): Consumer {
    return createConsumer({
      ...streamSettings(config, traffic, use),
      ...options,
      unread: unreadCollections(config),
      mostEvents: giveWay.mostEvents,
      log,
    })
  }

  const cursors = cursorsFromNowOn({ db, writer }, config, now())
  const watched = (batch: StreamBatch) =>
    watchdog.over('the next batch of the stream', apply(batch))
  const filters = streamFilters(indexScope, actors, trustedVerifiers)
  const { level, resume } = streamChoice(db)
  if (indexScope !== 'community') {
    if (level > 0) writer.commit((ctx) => putStreamChoice(ctx.db, now(), { level: 0, resume }))
    const from = level > 0 ? earlier(resume, cursors) : cursors
    return connect('stream', { filters, cursors: from, apply: watched })
  }
  if (streamBudgetGbMonth === 0 && level === 0) {
    return connect('stream', { filters, cursors, apply: watched })
  }
  return createBudgetedStream({
    ...core,
    budgetBytes: streamBudgetGbMonth * GB,
    others: trustedVerifiers,
    cursors,
    apply: watched,
    applyBeside: (batch) => core.applyBatch({ ...batch, isBeside: true }),
    connectMain: (options) => connect('stream', options),
    connectBeside: (options) => connect('authors', { ...options, alwaysFiltered: true }),
    onLevel(level) {
      core.streamLevel = level
    },
  })
}
