// /metrics, in the format that is asked for, and who may read it: everyone, only the operator, or also clients on
// this machine or its private network. A request through a proxy is not local, wherever the proxy runs.

import type { IncomingMessage } from 'node:http'
import type { Context, Hono } from 'hono'
import { addressRanges } from '../../base/config/address-ranges.ts'
import type { Config } from '../../base/config/config.ts'
import { createRegistry, type MetricFormat } from '../../base/obs/metric.ts'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { requireOperator } from '../operator/guard.ts'
import { type MetricContext, metricSources } from './metrics.ts'

type Access = Pick<Config, 'metrics' | 'operatorToken' | 'hostname'>

/** Headers that proxies add; a local client has no reason to. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host']
const OPENMETRICS = /(?:^|,) ?application\/openmetrics-text; ?version=1\.0\.0(?!; ?q=0(?:,|$))/
const isNear = createRangeCheck(addressRanges('loopback,private'))

export function addMetricsRoute(app: Hono, config: Access, context: MetricContext): void {
  if (config.metrics === 'off') return
  const sources = metricSources(context)
  const registries = {
    text: createRegistry(sources),
    openmetrics: createRegistry(sources, 'openmetrics'),
  }
  const guard = requireOperator(config)
  app.get(
    '/metrics',
    (c, next) => (isSpelt(c) ? (isAllowed(config, c) ? next() : guard(c, next)) : c.notFound()),
    async (c) => {
      const registry = registries[formatFor(c.req.header('accept'))]
      return c.body(await registry.metrics(), 200, {
        'content-type': registry.contentType,
        'cache-control': 'no-store',
        vary: 'accept',
      })
    },
  )
}

/** OpenMetrics for whoever names its version, as Prometheus does, and the older format for all others. */
function formatFor(accept = ''): MetricFormat {
  return OPENMETRICS.test(accept) ? 'openmetrics' : 'text'
}

/** Accepts only this exact spelling of the path, since a proxy's rule might let others pass. */
function isSpelt(c: Context): boolean {
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  const path = incoming?.url ?? new URL(c.req.raw.url).pathname
  return /^\/metrics(\?|$)/.test(path)
}

function isAllowed({ metrics, hostname }: Access, c: Context): boolean {
  if (metrics !== 'local') return metrics === 'open'
  const incoming = (c.env as { incoming?: IncomingMessage } | undefined)?.incoming
  const address = incoming?.socket.remoteAddress
  if (address === undefined || !isNear(address)) return false
  const isPublicName = c.req.header('host') === hostname && !hostname.startsWith('localhost')
  return !isPublicName && FORWARDED.every((name) => c.req.header(name) === undefined)
}
