// The command line: all commands with their help. Each command has its own file.

import { Command } from 'commander'
import { version } from '../../base/util/version.ts'
import type { ToolsFeature } from '../feature.ts'
import { addBackup } from './backup.ts'
import { addConfig } from './config.ts'
import { type CliContext, contextOf } from './context.ts'
import { addDoctor } from './doctor.ts'
import { addGaps } from './gaps.ts'
import { addImportFollows } from './import-follows.ts'
import { addInvite } from './invite.ts'
import { addMember } from './member.ts'
import { addModeration } from './moderation.ts'
import { addMonth } from './month.ts'
import { addOtherWords } from './other-words.ts'
import { addRestore } from './restore.ts'
import { addServe } from './serve-command.ts'
import { addStats } from './stats.ts'

const EXAMPLES = `
Examples:
  slipstream serve
  slipstream doctor
  slipstream member add alice.example.org
  slipstream backup --into /mnt/backups --keep 7
  slipstream stats --json

Settings come from the environment and from .env; \`slipstream config\` lists them.
If a server is running, commands talk to it through control.sock in its data folder.`

type AddCommand = (program: Command, context: CliContext, features: readonly ToolsFeature[]) => void

const commands: readonly AddCommand[] = [
  addServe,
  addMember,
  addInvite,
  addModeration,
  addImportFollows,
  addBackup,
  addRestore,
  addStats,
  addMonth,
  addGaps,
  addConfig,
]

export function createProgram(ofFeatures: readonly ToolsFeature[]): Command {
  const program = new Command('slipstream')
    .description('A self-hosted AppView for Bluesky clients.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError(
      '(slipstream --help lists the commands, and each command has its own --help)',
    )
    .showSuggestionAfterError()
  program.addOption(program.createOption('--cwd <dir>').hideHelp())
  program.addOption(program.createOption('--opened <file>').hideHelp())
  program.addOption(program.createOption('--caller <name>').hideHelp())
  const context = contextOf(program)
  for (const add of commands) add(program, context, ofFeatures)
  addDoctor(program, ofFeatures)
  for (const feature of ofFeatures) feature.commands?.(program, context)
  addOtherWords(program)
  return program
}
