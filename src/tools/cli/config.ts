// `slipstream config`: every setting with its value and source; secrets are hidden.

import type { Command } from 'commander'
import type { Config } from '../../base/config/config.ts'
import {
  type ExplainedSetting,
  explainSettings,
  type SettingOrigin,
} from '../../base/config/explain.ts'
import type { CliContext } from './context.ts'
import { type JsonOption, withJson } from './json-option.ts'
import { bold, dim, print, report } from './terminal.ts'

const ORIGINS: Record<SettingOrigin, string> = {
  environment: 'from the environment',
  dotenv: 'from .env',
  default: 'default',
  derived: 'derived',
}

export function addConfig(program: Command, context: CliContext): void {
  const command = withJson(program.command('config'))
    .description('show every setting with its value and where it came from')
    .option('--changed', 'only settings that differ from their defaults')
    .addHelpText('after', '\nExamples:\n  slipstream config --changed\n  slipstream config check')
    .action((options: JsonOption & { changed?: boolean }) => showConfig(context, options))
  command
    .command('check')
    .description('check the settings; exits with 78 if one is wrong')
    .action(() => check(context.config()))
}

function showConfig(
  context: CliContext,
  { json, changed }: JsonOption & { changed?: boolean },
): void {
  const all = explainSettings(context.config())
  const reported = changed ? all.filter(({ origin }) => isSet(origin)) : all
  report(
    json,
    reported,
    reported.map(describe).join('\n\n') || 'All settings have their default values.',
  )
}

function isSet(origin: SettingOrigin): boolean {
  return origin === 'environment' || origin === 'dotenv'
}

function describe({ key, value, origin, doc }: ExplainedSetting): string {
  return `${dim(`# ${doc}`)}\n${bold(`${key}=${value ?? ''}`)}  ${dim(ORIGINS[origin])}`
}

function check(config: Config): void {
  print(`The settings are valid: ${config.publicOrigin} is ${config.serviceDid}.`)
}
